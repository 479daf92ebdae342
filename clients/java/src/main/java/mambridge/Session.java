package mambridge;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import mambridge.errors.CallInterruptedException;
import mambridge.errors.CancelledException;
import mambridge.errors.ConnectionException;
import mambridge.errors.DeadlineExceededException;
import mambridge.errors.InternalErrorException;
import mambridge.errors.ServerException;
import mambridge.errors.UnexpectedReplyException;
import mambridge.types.Values;

/**
 * One connection and its threads: one reads and one writes what callers leave to them, one handles events, and workers
 * answer requests of the server, report progress and complete futures. Who reads or writes never runs code of the
 * program, so any thread of it may make calls.
 */
final class Session implements Call.Maker, Reader.Owner {
    /** How long after a deadline the client still waits for the server to say that the deadline passed. */
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofDays(1);

    private final Stream stream;
    private final Host host;
    private final Consumer<Event> onEvent;
    private final Duration timeout;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, Waiting> calls = new HashMap<>();
    private final Outbox outbox;
    private final EventQueue events = new EventQueue();
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> thread(task, "mambridge worker"));
    final Reader reader;
    private final Thread reading = thread(this::readAll, "mambridge reader");
    private final Thread writing = thread(this::writeAll, "mambridge writer");
    private final Thread listening = thread(this::handleEvents, "mambridge events");
    private ConnectionException lost;
    private boolean closed;

    /** A call that waits for its reply. Progress is reported before the reply arrives. */
    private static final class Waiting {
        final long number;
        final Consumer<Progress> progress;
        final CompletableFuture<Wire.Reply> reply = new CompletableFuture<>();
        final Outbox.Line line;
        /** Ends after the handler of the last progress; null without progress. */
        CompletableFuture<Void> reported;

        Waiting(long number, byte[] line, Consumer<Progress> progress) {
            this.number = number;
            this.line = new Outbox.Line(line);
            this.progress = progress;
        }

        /** Runs what ends the call, after the last progress. */
        void afterReports(Runnable end) {
            if (reported == null) {
                end.run();
            } else {
                reported.thenRun(end);
            }
        }
    }

    Session(Stream stream, Host host, Consumer<Event> onEvent, Duration timeout) {
        this.stream = stream;
        outbox = new Outbox(stream);
        reader = new Reader(stream, this);
        this.host = host;
        this.onEvent = onEvent;
        this.timeout = timeout;
    }

    void start() {
        reading.start();
        writing.start();
        if (onEvent != null) {
            listening.start();
        }
    }

    private static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    // Calls

    @Override
    public <T> T await(Call<T> call) {
        Waiting waiting = send(call);
        reader.readFor(waiting.reply);
        try {
            return read(call, waiting.reply.get());
        } catch (ExecutionException error) {
            throw failure(call, error.getCause());
        } catch (InterruptedException error) {
            abandon(waiting);
            Thread.currentThread().interrupt();
            throw new CallInterruptedException(call.method());
        }
    }

    @Override
    public <T> CompletableFuture<T> start(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Waiting waiting;
        try {
            waiting = send(call);
        } catch (RuntimeException error) {
            return CompletableFuture.failedFuture(error);
        }
        reader.need();
        waiting.reply.whenCompleteAsync((reply, error) -> complete(result, call, reply, error), workers)
            .whenComplete((reply, error) -> failUnlessDone(result, error));
        result.whenComplete((value, error) -> {
            if (result.isCancelled()) {
                abandon(waiting);
            }
        });
        return result;
    }

    /** Without a thread for it, nobody has completed the result. */
    private static void failUnlessDone(CompletableFuture<?> result, Throwable error) {
        if (error != null) {
            result.completeExceptionally(error);
        }
    }

    private <T> void complete(CompletableFuture<T> result, Call<T> call, Wire.Reply reply, Throwable error) {
        try {
            if (error != null) {
                throw failure(call, error);
            }
            result.complete(read(call, reply));
        } catch (RuntimeException failure) {
            result.completeExceptionally(failure);
        }
    }

    private static <T> T read(Call<T> call, Wire.Reply reply) {
        Object value = reply.value();
        try {
            return call.read().apply(value);
        } catch (UnexpectedReplyException error) {
            String reason = "cannot read the result of " + call.method() + ": " + error.getMessage();
            throw new UnexpectedReplyException(reason);
        }
    }

    private RuntimeException failure(Call<?> call, Throwable cause) {
        if (cause instanceof TimeoutException) {
            long limit = limit(call).toMillis();
            String length = limit % 1000 == 0 ? limit / 1000 + " s" : limit + " ms";
            return new DeadlineExceededException(call.method() + ": no answer within " + length);
        }
        return cause instanceof ConnectionException end ? end.here() : new IllegalStateException(cause);
    }

    /** How long the call may take; null if it has no limit. */
    private Duration limit(Call<?> call) {
        Duration limit = call.options().timeout == null ? timeout : call.options().timeout;
        return limit == null ? null : shorter(limit, LONGEST);
    }

    private Waiting send(Call<?> call) {
        Options<?> options = call.options();
        CancelToken token = options.cancel;
        if (token != null && token.isCanceled()) {
            throw new CancelledException();
        }
        Duration limit = limit(call);
        long number = numbers.incrementAndGet();
        byte[] line = Wire.request(number, call.method(), params(call, number, limit));
        Waiting waiting = new Waiting(number, line, options.progress);
        synchronized (calls) {
            check();
            calls.put(number, waiting);
        }
        outbox.put(waiting.line);
        watch(waiting, limit, token);
        return waiting;
    }

    /** The params with the deadline. Progress comes under the number of the request. */
    private Map<String, Object> params(Call<?> call, long number, Duration limit) {
        Options<?> options = call.options();
        boolean declares = host != null && call.method().equals("initialize");
        if (limit == null && options.progress == null && !declares) {
            return options.params;
        }
        Map<String, Object> params = new LinkedHashMap<>(options.params);
        Map<String, Object> meta = new LinkedHashMap<>();
        if (declares) {
            params.putIfAbsent("delegates", HostRequests.declared(host));
        }
        if (options.progress != null) {
            meta.put("progressToken", number);
        }
        if (limit != null) {
            meta.put("timeoutMilliseconds", Math.max(1, limit.toMillis()));
        }
        if (!meta.isEmpty()) {
            params.put("_meta", meta);
        }
        return params;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void watch(Waiting waiting, Duration limit, CancelToken token) {
        if (limit != null) {
            waiting.reply.orTimeout(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
            waiting.reply.whenComplete((reply, error) -> {
                if (error instanceof TimeoutException) {
                    abandon(waiting);
                }
            });
        }
        if (token != null) {
            Runnable hook = () -> cancel(waiting);
            token.add(hook);
            waiting.reply.whenComplete((reply, error) -> token.remove(hook));
        }
    }

    /** Takes back a call if it waits for the writer, else cancels it. Its timer and its token forget it, too. */
    private void abandon(Waiting waiting) {
        boolean waited;
        synchronized (calls) {
            waited = calls.remove(waiting.number) != null;
        }
        if (waited && !outbox.takeBack(waiting.line)) {
            outbox.put(Wire.cancel(waiting.number));
        }
        waiting.reply.cancel(false);
    }

    private void cancel(Waiting waiting) {
        boolean waits;
        synchronized (calls) {
            waits = calls.containsKey(waiting.number);
        }
        if (waits) {
            outbox.put(Wire.cancel(waiting.number));
        }
    }

    private void check() {
        if (lost != null) {
            throw lost.here();
        }
        if (closed) {
            throw new ConnectionException("this client is closed");
        }
    }

    private void writeAll() {
        try {
            outbox.writeAll();
        } catch (IOException | InterruptedException error) {
            // The reader notices the end, too, and knows the reason.
            Deadline.after(Duration.ofSeconds(10)).join(reading);
            end(new ConnectionException("mambridge does not read any more"));
        }
    }

    // What the server sends

    private void readAll() {
        ConnectionException broken = null;
        try {
            UnexpectedReplyException error = reader.readAll();
            broken = error == null ? null : new ConnectionException("the server sent no message: " + error.getMessage());
        } catch (InterruptedException error) {
            // Nobody interrupts this thread.
        } finally {
            end(broken == null ? stream.endOfLife() : broken);
        }
    }

    @Override
    public boolean hasCalls() {
        synchronized (calls) {
            return !calls.isEmpty();
        }
    }

    @Override
    public void accept(Wire.Message message) {
        if (message instanceof Wire.Reply reply) {
            Waiting waiting = take(reply);
            if (waiting != null) {
                outbox.answered(waiting.line);
                waiting.afterReports(() -> waiting.reply.complete(reply));
            }
        } else if (message instanceof Wire.Question question) {
            beginAnswer(question);
        } else if (message instanceof Wire.Notice notice && notice.method().equals("$/progress")) {
            report(Values.object(notice.params()));
        } else if (message instanceof Wire.Notice notice && onEvent != null) {
            events.add(notice);
        }
    }

    private void beginAnswer(Wire.Question question) {
        try {
            workers.execute(() -> answer(question));
        } catch (OutOfMemoryError error) {
            // No thread can start: the limit of processes or of memory is reached.
            String text = "the host has no thread to answer " + question.method();
            outbox.put(Wire.error(question, new InternalErrorException(text)));
        }
    }

    private Waiting take(Wire.Reply reply) {
        synchronized (calls) {
            if (reply.id() == null && reply.error() != null && !calls.isEmpty()) {
                // The server could not read a message, most likely because it was too long.
                return calls.remove(longest());
            }
            return calls.remove(reply.id());
        }
    }

    private Long longest() {
        return calls.values().stream().max(Comparator.comparingInt(call -> call.line.bytes.length)).map(call -> call.number).get();
    }

    private void report(Map<String, Object> params) {
        Waiting waiting;
        synchronized (calls) {
            waiting = calls.get(params.get("token"));
        }
        if (waiting != null && waiting.progress != null) {
            Progress progress = Values.member(params, "value", Progress::fromJson);
            CompletableFuture<Void> before =
                waiting.reported == null ? CompletableFuture.completedFuture(null) : waiting.reported;
            waiting.reported = before.thenRunAsync(() -> guard(() -> waiting.progress.accept(progress)), workers);
        }
    }

    /** Ends the connection for every call. The first reason counts. */
    private void end(ConnectionException reason) {
        List<Waiting> ended;
        synchronized (calls) {
            lost = lost == null ? reason : lost;
            ended = List.copyOf(calls.values());
            calls.clear();
        }
        for (Waiting waiting : ended) {
            waiting.afterReports(() -> waiting.reply.completeExceptionally(reason));
        }
        outbox.finish();
        reader.stop();
        events.end();
    }

    private void answer(Wire.Question question) {
        byte[] reply;
        try {
            reply = Wire.result(question, HostRequests.prepare(host, question).get());
        } catch (ServerException error) {
            reply = Wire.error(question, error);
        } catch (Throwable error) {
            String text = "the host failed to answer " + question.method();
            reply = Wire.error(question, new InternalErrorException(text));
            show(error);
        }
        outbox.put(reply);
    }

    private void handleEvents() {
        try {
            for (Wire.Notice found = events.take(); found != null; found = events.take()) {
                Wire.Notice notice = found;
                guard(() -> onEvent.accept(Event.of(notice.method(), notice.params())));
            }
        } catch (InterruptedException error) {
            // Only a handler can interrupt this thread, and asks for its end.
        }
    }

    /** Runs a handler of the program, whose errors must not stop others. */
    private static void guard(Runnable handler) {
        try {
            handler.run();
        } catch (ConnectionException error) {
            // Every call of the program ends with it as well.
        } catch (Throwable error) {
            show(error);
        }
    }

    /** Shows an error of a handler as Java shows one that ends a thread. */
    private static void show(Throwable error) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
    }

    // The end

    /** Ends the input, waits for the server's remaining answers, and ends a child that does not exit. */
    void close() {
        synchronized (calls) {
            if (closed) {
                return;
            }
            closed = true;
        }
        Deadline deadline = Deadline.after(Stream.FINISH);
        outbox.finish();
        reader.stop();
        deadline.join(writing);
        deadline.join(reading);
        stream.close(deadline);
        for (Thread thread : List.of(reading, writing, listening)) {
            Deadline.after(Stream.EXIT).join(thread);
        }
        workers.setKeepAliveTime(0, TimeUnit.SECONDS);
    }
}
