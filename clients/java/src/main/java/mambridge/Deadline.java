package mambridge;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A point in time until which to wait for something. An interrupt does not end the wait but is kept for later. */
final class Deadline {
    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    static Deadline after(Duration length) {
        return new Deadline(System.nanoTime() + length.toNanos());
    }

    /** Returns whether the process ended. */
    boolean waitFor(Process process) {
        return await(rest -> process.waitFor(rest, TimeUnit.NANOSECONDS));
    }

    /** Returns whether the thread ended. The current thread does not wait for itself. */
    boolean join(Thread thread) {
        return thread == Thread.currentThread() || await(rest -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, rest);
            return !thread.isAlive();
        });
    }

    private interface Wait {
        boolean happened(long nanoseconds) throws InterruptedException;
    }

    private boolean await(Wait wait) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return wait.happened(Math.max(1, end - System.nanoTime()));
                } catch (InterruptedException error) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
