// SPDX-License-Identifier: Apache-2.0
package io.github.openshellruntime;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures all of it in one run, subjects in turns, and writes {@code target/bench/}: {@code results.csv}, {@code samples.csv}
 * and {@code results.svg}. Medians; ratios to raw ProcessBuilder with two threads. {@code bench.rounds} is 7 by default, and
 * {@code bench.parts} all of them.
 */
final class AllBench {

    private static final int ROUNDS = Integer.getInteger("bench.rounds", 7);
    private static final List<String> PARTS =
            List.of(System.getProperty("bench.parts", "processes,resources,virtual,writes,json").split(","));
    private static final Path OUT = Path.of("target/bench");
    /** Its handlers race with its own clean-up, and it logs a stack trace each time. A logger that nobody holds is forgotten. */
    private static final Logger NUPROCESS = Logger.getLogger("com.zaxxer.nuprocess");
    private static final String HEAD = "/usr/bin/head";

    private final Map<String, Map<String, List<Double>>> samples = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();
    private Path floor;

    public static void main(String[] args) throws Exception {
        NUPROCESS.setLevel(Level.OFF);
        AllBench bench = new AllBench();
        Files.createDirectories(OUT);
        bench.compileFloor();
        for (String part : PARTS) {
            switch (part) {
                case "processes" -> bench.processes();
                case "resources" -> bench.resources();
                case "virtual" -> bench.virtualThreads();
                case "writes" -> bench.writes();
                case "json" -> bench.json();
                default -> throw new IllegalArgumentException("-Dbench.parts has no " + part);
            }
        }
        bench.report();
    }

    private void compileFloor() throws Exception {
        Path source = OUT.resolve("floor.c");
        try (InputStream in = AllBench.class.getResourceAsStream("bench-floor.c")) {
            Files.write(source, in.readAllBytes());
        }
        Path compiled = OUT.resolve("floor").toAbsolutePath();
        try {
            int exit = new ProcessBuilder("gcc", "-O2", "-o", compiled.toString(), source.toString()).inheritIO().start().waitFor();
            floor = exit == 0 ? compiled : null;
        } catch (IOException e) {
            System.out.println("no gcc: the floor is left out");
        }
    }

    private void add(String workload, String unit, String subject, double value) {
        units.put(workload, unit);
        samples.computeIfAbsent(workload, key -> new LinkedHashMap<>()).computeIfAbsent(subject, key -> new ArrayList<>()).add(value);
    }

    /** Runs a command of each subject in turns; a subject that reports other bytes or another exit is left out, and named. */
    private void latency(String workload, List<String> command, boolean capture, int each) throws Exception {
        SubjectBench.Run wanted = SubjectBench.RAW2.run(command, capture);
        for (int round = 0; round < ROUNDS; round++) {
            for (SubjectBench subject : rotated(round)) {
                for (int i = 0; i < each; i++) {
                    long start = System.nanoTime();
                    SubjectBench.Run run = subject.run(command, capture);
                    long nanos = System.nanoTime() - start;
                    if (!run.equals(wanted)) {
                        System.out.println(workload + ": " + subject.shown() + " reported " + run + " instead of " + wanted);
                        break;
                    }
                    add(workload, "us", subject.shown(), nanos / 1e3);
                }
            }
            floor(workload, "us", command, capture, each, wanted);
        }
    }

    private static List<SubjectBench> rotated(int round) {
        List<SubjectBench> subjects = new ArrayList<>(Arrays.asList(SubjectBench.values()));
        Collections.rotate(subjects, round);
        return subjects;
    }

    private void floor(String workload, String unit, List<String> command, boolean capture, int times, SubjectBench.Run wanted)
            throws Exception {
        if (floor == null) {
            return;
        }
        List<String> line = new ArrayList<>(List.of(floor.toString(), "run", capture ? "1" : "0", Integer.toString(times)));
        line.addAll(command);
        for (String said : ChildJvm.run(line, Map.of()).output().lines().toList()) {
            String[] fields = said.split(" ");
            if (Long.parseLong(fields[1]) == wanted.bytes() && Integer.parseInt(fields[2]) == wanted.exitCode()) {
                double nanos = Double.parseDouble(fields[0]);
                add(workload, unit, "c", unit.equals("us") ? nanos / 1e3 : wanted.bytes() / 1048576.0 / (nanos / 1e9));
            }
        }
    }

    private void throughput(String workload, List<String> command, int rounds) throws Exception {
        SubjectBench.Run wanted = SubjectBench.RAW2.run(command, true);
        for (int round = 0; round < rounds; round++) {
            for (SubjectBench subject : rotated(round)) {
                long start = System.nanoTime();
                SubjectBench.Run run = subject.run(command, true);
                double seconds = (System.nanoTime() - start) / 1e9;
                if (run.equals(wanted)) {
                    add(workload, "MiB/s", subject.shown(), run.bytes() / 1048576.0 / seconds);
                } else {
                    System.out.println(workload + ": " + subject.shown() + " reported " + run + " instead of " + wanted);
                }
            }
            floor(workload, "MiB/s", command, true, 1, wanted);
        }
    }

    private void atOnce(int threads, int runs) throws Exception {
        String workload = threads + " at a time";
        List<String> command = List.of("/bin/true");
        for (int round = 0; round < ROUNDS; round++) {
            for (SubjectBench subject : rotated(round)) {
                ExecutorService pool = Executors.newFixedThreadPool(threads);
                long start = System.nanoTime();
                List<Future<SubjectBench.Run>> all = new ArrayList<>();
                for (int i = 0; i < runs; i++) {
                    all.add(pool.submit(() -> subject.run(command, true)));
                }
                boolean good = true;
                for (Future<SubjectBench.Run> run : all) {
                    good &= run.get().equals(new SubjectBench.Run(0, 0));
                }
                double seconds = (System.nanoTime() - start) / 1e9;
                pool.shutdown();
                if (good) {
                    add(workload, "runs/s", subject.shown(), runs / seconds);
                }
            }
        }
    }

    private void processes() throws Exception {
        List<String> none = List.of("/bin/true");
        for (SubjectBench subject : SubjectBench.values()) {
            for (int i = 0; i < 600; i++) {
                subject.run(none, i % 2 == 0);
            }
        }
        latency("no-op, capture off", none, false, 60);
        latency("no-op, capture on", none, true, 60);
        latency("1 KiB captured", List.of(HEAD, "-c", "1024", "/dev/zero"), true, 60);
        throughput("1 GiB drained", List.of(HEAD, "-c", "1073741824", "/dev/zero"), ROUNDS);
        throughput("100 MiB on both streams", List.of("/bin/sh", "-c",
                "head -c 104857600 /dev/zero & head -c 104857600 /dev/zero >&2; wait"), ROUNDS);
        atOnce(8, 400);
        atOnce(64, 640);
    }

    /** Heap, threads, idle CPU, and how long after the deadline we return. */
    private void resources() throws Exception {
        List<String> kilobyte = List.of(HEAD, "-c", "1024", "/dev/zero");
        for (int round = 0; round < 3; round++) {
            for (SubjectBench subject : rotated(round)) {
                add("heap a run, capture off", "KiB", subject.shown(), heap(subject, List.of("/bin/true"), false, 200));
                add("heap a run, 1 KiB captured", "KiB", subject.shown(), heap(subject, kilobyte, true, 200));
            }
        }
        for (int round = 0; round < 3; round++) {
            for (SubjectBench subject : rotated(round)) {
                add("CPU of a silent 3 s run", "ms", subject.shown(), silentCpu(subject, 8));
                add("threads added at 64", "threads", subject.shown(), threads(subject));
            }
        }
        for (int round = 0; round < 10; round++) {
            OpenShellRunnerError error = HostileCli.timeOut(300, "ignore-term", "sleep", "30");
            add("deadline to return, deaf to TERM", "ms", SubjectBench.OURS.shown(), error.elapsed().toNanos() / 1e6 - 300);
        }
        for (int round = 0; round < 3; round++) {
            add("64 deadlines at once, the last return", "ms", SubjectBench.OURS.shown(), deadlinesAtOnce(64));
            add("200 silent captured runs", "% of a core", SubjectBench.OURS.shown(), silentShare(200));
        }
    }

    /** How long after their deadline the last of some runs returns. Started before, so that no start is measured. */
    private static double deadlinesAtOnce(int runs) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(runs);
        List<Future<OpenShellRunnerError>> all = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            all.add(pool.submit(() -> HostileCli.timeOut(3_000, "sleep", "30")));
        }
        long last = 0;
        for (Future<OpenShellRunnerError> run : all) {
            last = Math.max(last, run.get().elapsed().toNanos());
        }
        pool.shutdown();
        return last / 1e6 - 3_000;
    }

    /** The processor time of runs that are all under way, from their first second to their third. */
    private static double silentShare(int runs) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ExecutorService pool = Executors.newFixedThreadPool(runs);
        List<Future<SubjectBench.Run>> all = new ArrayList<>();
        long before = Processes.children();
        for (int i = 0; i < runs; i++) {
            all.add(pool.submit(() -> SubjectBench.OURS.run(List.of("/bin/sleep", "5"), true)));
        }
        Await.until("all of them", () -> Processes.children() - before >= runs);
        TimeUnit.SECONDS.sleep(1);
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(2);
        double share = 100.0 * (system.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
        for (Future<SubjectBench.Run> run : all) {
            run.get();
        }
        pool.shutdown();
        return share;
    }

    /** 200 runs of a second from virtual threads: how long they take, and how late another virtual thread is meanwhile. */
    private void virtualThreads() throws Exception {
        if (Runtime.version().feature() < 21) {
            System.out.println("virtual threads: left out before JDK 21");
            return;
        }
        for (int round = 0; round < 3; round++) {
            for (SubjectBench subject : List.of(SubjectBench.OURS, SubjectBench.RAW2)) {
                AtomicBoolean over = new AtomicBoolean();
                FutureTask<Long> ticks = virtual(() -> latestTick(over));
                long start = System.nanoTime();
                List<FutureTask<SubjectBench.Run>> runs = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    runs.add(virtual(() -> subject.run(List.of("/bin/sleep", "1"), true)));
                }
                for (FutureTask<SubjectBench.Run> run : runs) {
                    run.get();
                }
                add("200 runs of a second on virtual threads", "ms", subject.shown(), (System.nanoTime() - start) / 1e6);
                over.set(true);
                add("another virtual thread meanwhile, late by", "ms", subject.shown(), ticks.get() / 1e6);
            }
        }
    }

    private static long latestTick(AtomicBoolean over) throws InterruptedException {
        long latest = 0;
        while (!over.get()) {
            long before = System.nanoTime();
            TimeUnit.MILLISECONDS.sleep(10);
            latest = Math.max(latest, System.nanoTime() - before - TimeUnit.MILLISECONDS.toNanos(10));
        }
        return latest;
    }

    /** Compiled for Java 17, which has no name for it. */
    private static <T> FutureTask<T> virtual(Callable<T> task) throws ReflectiveOperationException {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, future);
        return future;
    }

    /** What a run allocates; with fewer runs again where the collector came in between. */
    private static double heap(SubjectBench subject, List<String> command, boolean capture, int runs) throws Exception {
        System.gc();
        long collections = collections();
        Runtime runtime = Runtime.getRuntime();
        long before = runtime.totalMemory() - runtime.freeMemory();
        for (int i = 0; i < runs; i++) {
            subject.run(command, capture);
        }
        long used = runtime.totalMemory() - runtime.freeMemory() - before;
        return collections() == collections ? used / 1024.0 / runs : heap(subject, command, capture, Math.max(10, runs / 2));
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    /** The clock counts in tens of milliseconds, so several runs at a time share one look at it. */
    private static double silentCpu(SubjectBench subject, int runs) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ExecutorService pool = Executors.newFixedThreadPool(runs);
        long before = system.getProcessCpuTime();
        for (Future<SubjectBench.Run> run : pool.invokeAll(Collections.<Callable<SubjectBench.Run>>nCopies(runs,
                () -> subject.run(List.of("/bin/sleep", "3"), true)))) {
            run.get();
        }
        pool.shutdown();
        return (system.getProcessCpuTime() - before) / 1e6 / runs;
    }

    private static double threads(SubjectBench subject) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(64);
        List<Future<SubjectBench.Run>> all = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            pool.submit(() -> null).get();
        }
        long before = Processes.threads();
        for (int i = 0; i < 64; i++) {
            all.add(pool.submit(() -> subject.run(List.of("/bin/sleep", "1"), true)));
        }
        long most = 0;
        while (!all.stream().allMatch(Future::isDone)) {
            most = Math.max(most, Processes.threads() - before);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        pool.shutdown();
        return most;
    }

    private void writes() throws Exception {
        Path dir = Files.createDirectory(OUT.toAbsolutePath().resolve("write-" + System.nanoTime()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        int size = PolicyWriter.NEW.toBytes().length;
        for (int i = 0; i < 1_000; i++) {
            PolicyDocuments.write(dir, PolicyWriter.SESSION, PolicyWriter.NEW);
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < 40; i++) {
                long start = System.nanoTime();
                PolicyDocuments.write(dir, PolicyWriter.SESSION, PolicyWriter.NEW);
                add("write of a policy", "us", SubjectBench.OURS.shown(), (System.nanoTime() - start) / 1e3);
            }
            if (floor != null) {
                for (String said : Tools.run(floor.toString(), "write", dir.toString(), "" + size, "40").lines().toList()) {
                    add("write of a policy", "us", "c", Double.parseDouble(said.split(" ")[0]) / 1e3);
                }
            }
        }
        Tools.run("rm", "-r", dir.toString());
    }

    private void json() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder().include(JsonBench.class.getSimpleName()).forks(1)
                .warmupIterations(5).warmupTime(TimeValue.milliseconds(500)).measurementIterations(ROUNDS)
                .measurementTime(TimeValue.milliseconds(500))
                .param("document", Arrays.stream(HostileDocument.values()).map(Enum::name).toArray(String[]::new)).build()).run();
        Map<String, Double> scores = new TreeMap<>();
        for (RunResult result : results) {
            String document = result.getParams().getParam("document");
            scores.put(result.getPrimaryResult().getLabel() + (document == null ? "" : document), result.getPrimaryResult().getScore());
        }
        hostile(scores);
        for (String size : List.of("Typical", "Full", "Refused")) {
            add("parse, " + size.toLowerCase(Locale.ROOT), "us", SubjectBench.OURS.shown(), scores.get("parse" + size));
            add("parse, " + size.toLowerCase(Locale.ROOT), "us", "readTree", scores.get("readTree" + size));
        }
        add("render, 128 entries", "us", SubjectBench.OURS.shown(), scores.get("render128"));
        add("render, 128 entries", "us", "8 times 16 entries", 8 * scores.get("render16"));
    }

    /** The hostile document that comes nearest to its limit: five times readTree, or twenty times one string if that is more. */
    private void hostile(Map<String, Double> scores) {
        double strings = 20 * scores.get("parseHostile" + HostileDocument.ONE_STRING);
        HostileDocument worst = Collections.max(Arrays.asList(HostileDocument.values()), Comparator.comparingDouble(
                document -> scores.get("parseHostile" + document) / Math.max(strings, 5 * scores.get("readTreeHostile" + document))));
        String workload = "parse, the worst of 8 hostile MiB, " + worst;
        add(workload, "us", SubjectBench.OURS.shown(), scores.get("parseHostile" + worst));
        add(workload, "us", "readTree", scores.get("readTreeHostile" + worst));
        add(workload, "us", "20 times one string", strings);
    }

    /** What the ratios of a workload are to. */
    private static String reference(Map<String, List<Double>> subjects) {
        return List.of("raw2", "readTree", "8 times 16 entries", "c").stream().filter(subjects::containsKey).findFirst().orElse("");
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private void report() throws IOException {
        List<String> csv = new ArrayList<>(List.of("workload,subject,median,unit,ratio"));
        List<String> raw = new ArrayList<>(List.of("workload,subject,unit,value"));
        StringBuilder bars = new StringBuilder();
        int y = 20;
        for (Map.Entry<String, Map<String, List<Double>>> workload : samples.entrySet()) {
            String unit = units.get(workload.getKey());
            String reference = reference(workload.getValue());
            double base = reference.isEmpty() ? Double.NaN : median(workload.getValue().get(reference));
            String title = workload.getKey() + " (" + unit + (reference.isEmpty() ? "" : ", ratio to " + reference) + ")";
            System.out.println("\n" + title);
            bars.append(text(10, y, title));
            y += 16;
            for (Map.Entry<String, List<Double>> subject : workload.getValue().entrySet()) {
                double median = median(subject.getValue());
                String ratio = Double.isNaN(base) || base == 0 ? "" : String.format(Locale.ROOT, "%.2f", median / base);
                csv.add(String.format(Locale.ROOT, "\"%s\",%s,%.1f,%s,%s", workload.getKey(), subject.getKey(), median, unit, ratio));
                subject.getValue().forEach(value -> raw.add(String.format(Locale.ROOT, "\"%s\",%s,%s,%.3f", workload.getKey(),
                        subject.getKey(), unit, value)));
                System.out.printf(Locale.ROOT, "  %-20s %12.1f  %s%n", subject.getKey(), median, ratio);
                double width = ratio.isEmpty() ? 0 : Math.min(400, 150 * median / base);
                bars.append(text(20, y, subject.getKey())).append(String.format(Locale.ROOT,
                        "<rect x=\"180\" y=\"%d\" width=\"%.0f\" height=\"10\" fill=\"%s\"/>%n", y - 9, width,
                        subject.getKey().equals(SubjectBench.OURS.shown()) ? "#2a6" : "#999")).append(text(590, y, ratio));
                y += 14;
            }
            y += 8;
        }
        Files.write(OUT.resolve("results.csv"), csv);
        Files.write(OUT.resolve("samples.csv"), raw);
        Files.writeString(OUT.resolve("results.svg"), "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"" + y
                + "\" font-family=\"sans-serif\" font-size=\"11\">\n" + bars + "</svg>\n");
        System.out.println("\nresults.csv, samples.csv and results.svg are in " + OUT);
    }

    private static String text(int x, int y, String text) {
        return "<text x=\"" + x + "\" y=\"" + y + "\">" + text + "</text>\n";
    }
}
