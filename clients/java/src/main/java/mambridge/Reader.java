package mambridge;

import java.io.IOException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import mambridge.errors.UnexpectedReplyException;

/**
 * Who reads what the server sends: a thread for that or, as long as answers come at once, the thread of a caller, which
 * saves two changes of threads.
 *
 * <p>A caller reads only what has arrived, because an interrupt does not end a blocked read. It looks for that a few
 * times, and lets others run before each look. If that was not enough, because the server is slow, the thread reads for
 * the next calls: the more of them, the more often that happens. The thread also reads as long as calls count on it, and
 * while there are none: an event, or a request of the server, waits for two ticks at most.
 */
final class Reader implements Wire.Taker {
    /** Whom the messages are for. */
    interface Owner extends Consumer<Wire.Message> {
        /** Returns whether a call waits for its reply. */
        boolean hasCalls();
    }

    /**
     * How often a caller looks for its answer. That takes about 0.1 ms, and longer while others use the processor, whom
     * it lets run in between.
     */
    private static final int LOOKS = 100;

    /** How long the thread leaves reading to callers that do not call, in milliseconds. */
    private static final long TICK = 20;

    private static final int MOST_SKIPPED = 8192;

    private final Stream stream;
    private final Owner owner;
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

    Reader(Stream stream, Owner owner) {
        this.stream = stream;
        this.owner = owner;
    }

    /** Returns how many calls were not left to the thread. */
    synchronized long tries() {
        return tries;
    }

    // On the thread of a caller

    /** Reads for a call until it is done, unless another thread reads; then calls {@link #need}. */
    void readFor(Future<?> call) {
        if (stream.isForAnyThread() && lead()) {
            boolean atOnce = false;
            try {
                atOnce = readArrived(call);
            } finally {
                judge(atOnce);
                leave();
            }
        }
        if (!call.isDone()) {
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

    /** Returns whether the call was done after a few looks. */
    private boolean readArrived(Future<?> call) {
        int looks = 0;
        while (!call.isDone() && !over) {
            if (looks == LOOKS || Thread.currentThread().isInterrupted()) {
                return false;
            }
            Thread.yield();
            if (stream.hasBytes()) {
                readOnce();
            } else {
                looks++;
            }
        }
        return true;
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
    UnexpectedReplyException readAll() throws InterruptedException {
        while (takeTurn()) {
            readOnce();
            leave();
        }
        return broken;
    }

    /** Waits until it is this thread's turn, and leaves reading to callers until then. Returns false at the end. */
    private synchronized boolean takeTurn() throws InterruptedException {
        if (needed && !owner.hasCalls()) {
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
                lines.feed(chunk, count, this);
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

    @Override
    public void take(byte[] bytes, int start, int end) {
        Wire.parse(bytes, start, end, owner);
    }
}
