import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Hadoop's own client as a peer: the loops of `fsbench remote`, in one JVM that has warmed up. The start of the JVM, and
 * as much work again as is measured, come before the clock; CPU time is the whole process' while the loops run.
 *
 * <p>Called as {@code HdfsPeer OPERATION BASE THREADS ITERATIONS SIZE BUFFER [WARM-UP]}, prints one line of JSON.
 */
public class HdfsPeer {
    private final FileSystem fs;
    private final Path base;
    private final String operation;
    private final long size;
    private final int buffer;

    private HdfsPeer(FileSystem fs, String[] args) {
        this.fs = fs;
        operation = args[0];
        base = new Path(args[1]);
        size = Long.parseLong(args[4]);
        buffer = Integer.parseInt(args[5]);
    }

    public static void main(String[] args) throws Exception {
        Configuration conf = new Configuration();
        // fsbench does not wait 400 ms when the block report is late, and neither shall Java: the timer is not the client.
        conf.setLong("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 5);
        conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 10);
        try (FileSystem fs = FileSystem.get(new Path(args[1]).toUri(), conf)) {
            HdfsPeer peer = new HdfsPeer(fs, args);
            int threads = Integer.parseInt(args[2]);
            int iterations = Integer.parseInt(args[3]);
            peer.loops(threads, args.length > 6 ? Integer.parseInt(args[6]) : iterations);
            long start = System.nanoTime();
            long cpu = cpuNs();
            long bytes = peer.loops(threads, iterations);
            System.out.printf(
                    "{\"requests\": %d, \"bytes\": %d, \"wall_ns\": %d, \"cpu_ns\": %d}%n",
                    (long) threads * iterations, bytes, System.nanoTime() - start, cpuNs() - cpu);
        }
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** Each thread does the operation so often; the bytes that all of them moved, or the entries they listed. */
    private long loops(int threads, int iterations) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Long>> loops = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Path file = new Path(base, "test_" + thread);
                byte[] bytes = new byte[buffer];
                Arrays.fill(bytes, (byte) 0x5a);
                loops.add(() -> {
                    long moved = 0;
                    for (int i = 0; i < iterations; i++) {
                        moved += operate(file, bytes);
                    }
                    return moved;
                });
            }
            long moved = 0;
            for (Future<Long> loop : pool.invokeAll(loops)) {
                moved += loop.get();
            }
            return moved;
        } finally {
            pool.shutdown();
        }
    }

    private long operate(Path file, byte[] bytes) throws Exception {
        switch (operation) {
            case "write":
                return write(file, bytes);
            case "read":
                return read(file, bytes);
            case "exists":
                if (!fs.exists(file)) {
                    throw new IllegalStateException(file + " is not there");
                }
                return 0;
            case "list":
                return list();
            case "make":
                return make();
            default:
                throw new IllegalArgumentException("write, read, exists, list or make, not " + operation);
        }
    }

    private long write(Path file, byte[] bytes) throws Exception {
        try (OutputStream out = fs.create(file, true)) {
            for (long left = size; left > 0; left -= bytes.length) {
                out.write(bytes, 0, (int) Math.min(left, bytes.length));
            }
        }
        return size;
    }

    private long read(Path file, byte[] bytes) throws Exception {
        long moved = 0;
        try (InputStream in = fs.open(file)) {
            for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
                moved += count;
            }
        }
        return moved;
    }

    private long list() throws Exception {
        long entries = 0;
        for (RemoteIterator<FileStatus> found = fs.listStatusIterator(base); found.hasNext(); found.next()) {
            entries++;
        }
        return entries;
    }

    /** SIZE empty files, to be listed. */
    private long make() throws Exception {
        for (long i = 0; i < size; i++) {
            fs.create(new Path(base, "entry_" + i), true).close();
        }
        return size;
    }
}
