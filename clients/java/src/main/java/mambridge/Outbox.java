package mambridge;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Messages on their way to the server. A caller writes its message itself, which saves a change of threads, if nothing
 * waits and the write cannot block: an interrupt does not end a blocked write. A thread writes the others.
 */
final class Outbox {
    /** What the smallest pipe takes at once: a page. */
    private static final int ROOM = 4096;

    /** A message, and how much was given to the outbox up to its end. */
    static final class Line {
        final byte[] bytes;
        private volatile long end;

        Line(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final Stream stream;
    private final Deque<Line> waiting = new ArrayDeque<>();
    private boolean writing;
    private boolean finished;
    private long given;
    private long read;

    Outbox(Stream stream) {
        this.stream = stream;
    }

    void put(byte[] line) {
        put(new Line(line));
    }

    void put(Line line) {
        if (begin(line)) {
            try {
                stream.write(line.bytes);
            } catch (IOException error) {
                retry(line);
            } finally {
                end();
            }
        }
    }

    /** Returns whether this thread is to write the line. */
    private synchronized boolean begin(Line line) {
        given += line.bytes.length;
        line.end = given;
        if (finished || writing || !waiting.isEmpty() || !stream.isForAnyThread() || given - read > ROOM) {
            waiting.add(line);
            notifyAll();
            return false;
        }
        writing = true;
        return true;
    }

    /** Leaves a failure to the thread that writes. */
    private synchronized void retry(Line line) {
        waiting.addFirst(line);
    }

    private synchronized void end() {
        writing = false;
        if (finished || !waiting.isEmpty()) {
            notifyAll();
        }
    }

    /** Notes an answer to a line: the server has read it, and all before it. */
    synchronized void answered(Line line) {
        read = Math.max(read, line.end);
    }

    /** Returns whether the line will never be written. */
    synchronized boolean takeBack(Line line) {
        return waiting.remove(line);
    }

    /** Ends the input after the messages that wait. */
    synchronized void finish() {
        finished = true;
        notifyAll();
    }

    /** Writes what callers leave. Returns when the input has ended. */
    void writeAll() throws IOException, InterruptedException {
        for (Line line = next(); line != null; line = next()) {
            stream.write(line.bytes);
            end();
        }
        stream.finish();
    }

    private synchronized Line next() throws InterruptedException {
        while (writing || waiting.isEmpty() && !finished) {
            wait();
        }
        writing = !waiting.isEmpty();
        return waiting.poll();
    }
}
