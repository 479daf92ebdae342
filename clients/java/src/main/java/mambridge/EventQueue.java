package mambridge;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;

/** The events that wait for the handler: at most 10,000. Then {@code events.gap} takes the place of the oldest. */
final class EventQueue {
    private static final int MOST = 10_000;

    private final Queue<Wire.Notice> waiting = new ArrayDeque<>();
    private Wire.Notice gap;
    private long gapAfter;
    private boolean ended;

    synchronized void add(Wire.Notice event) {
        waiting.add(event);
        if (waiting.size() > MOST) {
            drop(waiting.remove());
        }
        notifyAll();
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Waits for the next event. Returns null after the last one. */
    synchronized Wire.Notice take() throws InterruptedException {
        while (waiting.isEmpty() && !ended) {
            wait();
        }
        Wire.Notice found = gap == null ? waiting.poll() : gap;
        gap = null;
        return found;
    }

    /** Adds the number of an event to the gap. Log lines and telemetry have none. */
    private void drop(Wire.Notice event) {
        Map<?, ?> params = event.params() instanceof Map<?, ?> members ? members : Map.of();
        if (params.get("seq") instanceof Long number) {
            extend(number - 1, number);
        } else if (params.get("after") instanceof Long after && params.get("to") instanceof Long to) {
            extend(after, to);
        }
    }

    private void extend(long after, long to) {
        gapAfter = gap == null ? after : gapAfter;
        gap = new Wire.Notice("events.gap", Map.of("after", gapAfter, "to", to, "from", gapAfter + 1));
    }
}
