package mambridge;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import mambridge.errors.UnexpectedReplyException;

/**
 * Who reads what the server sends: a thread for that or, as long as answers come at once, the thread of a caller, which
 * saves two changes of threads.
 *
 * <p>A caller reads only what has arrived, because an interrupt does not end a blocked read. It looks for that only for
 * a moment, in which it lets others run. If the moment was too short, because the server is slow or others use the
 * processor, the thread reads for the next calls: the more of them, the more often that happens. The thread also reads
 * as long as calls count on it, and while there are none: an event, or a request of the server, waits for two ticks at
 * most.
 */
final class Reader {
    /** How long a caller looks for its answer, in nanoseconds. */
    private static final long MOMENT = 100_000;

    /** How long the thread leaves reading to callers that do not call, in milliseconds. */
    private static final long TICK = 20;

    private static final int MOST_SKIPPED = 8192;

    private final Stream stream;
    private final Consumer<Wire.Message> receive;
    private final byte[] chunk = new byte[1 << 16];
    private final Wire.Lines lines = new Wire.Lines();
    private boolean taken;
    private boolean needed;
    private boolean stopped;
    private boolean over;
    private UnexpectedReplyException broken;
    private long tries;
    private int doubt;
    private int skipped;

    Reader(Stream stream, Consumer<Wire.Message> receive) {
        this.stream = stream;
        this.receive = receive;
    }

    /** Returns how many calls were not left to the thread. */
    synchronized long tries() {
        return tries;
    }

    // On the thread of a caller

    /** Reads for a call until it is done, unless another thread reads; then calls {@link #need}. */
    void readFor(BooleanSupplier isDone) {
        if (stream.isForAnyThread() && lead()) {
            boolean atOnce = false;
            try {
                atOnce = readArrived(isDone);
            } finally {
                judge(atOnce);
                leave();
            }
        }
        if (!isDone.getAsBoolean()) {
            need();
        }
    }

    private synchronized boolean lead() {
        skipped = Math.max(0, skipped - 1);
        boolean free = skipped == 0 && !taken && !needed && !stopped && !over;
        taken = taken || free;
        return free;
    }

    /** Decides how many calls are left to the thread. */
    private synchronized void judge(boolean atOnce) {
        tries++;
        doubt = atOnce ? Math.max(0, doubt - 1) : Math.min(2 * doubt + 8, MOST_SKIPPED);
        skipped = atOnce ? 0 : doubt;
    }

    /** Returns whether the call was done within a moment. */
    private boolean readArrived(BooleanSupplier isDone) {
        long start = System.nanoTime();
        boolean inTime = true;
        while (!isDone.getAsBoolean() && !over) {
            if (stream.hasBytes()) {
                readOnce();
            } else if (inTime && !Thread.currentThread().isInterrupted()) {
                Thread.yield();
            } else {
                return false;
            }
            inTime = System.nanoTime() - start < MOMENT;
        }
        return inTime;
    }

    private synchronized void leave() {
        taken = false;
        if (needed || stopped || over) {
            notifyAll();
        }
    }

    /** A call counts on the thread of the reader. */
    synchronized void need() {
        needed = true;
        notifyAll();
    }

    /** From now on, the thread reads to the end. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    // On the thread of the reader

    /** Reads to the end. Returns what cannot be read, or null. */
    UnexpectedReplyException readAll(BooleanSupplier hasCalls) throws InterruptedException {
        while (take(hasCalls)) {
            readOnce();
            leave();
        }
        return broken;
    }

    /** Waits until it is this thread's turn, and leaves reading to callers until then. Returns false at the end. */
    private synchronized boolean take(BooleanSupplier hasCalls) throws InterruptedException {
        if (needed && !hasCalls.getAsBoolean()) {
            needed = false;
            if (skipped == 0) {
                rest();
            }
        }
        while (taken) {
            wait(TICK); // A caller that leaves need not say so.
        }
        taken = !over;
        return taken;
    }

    private void rest() throws InterruptedException {
        long seen = -1;
        while (!needed && !stopped && !over && seen != tries) {
            seen = tries;
            wait(TICK);
        }
    }

    private void readOnce() {
        boolean more = false;
        try {
            int count = stream.read(chunk);
            if (count >= 0) {
                lines.feed(chunk, count, line -> Wire.parse(line, receive));
                more = true;
            }
        } catch (IOException error) {
            // The end of the stream, too.
        } catch (UnexpectedReplyException error) {
            broken = error;
        } finally {
            over = !more;
        }
    }
}
