package mambridge;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import mambridge.errors.Errors;
import mambridge.errors.ServerException;
import mambridge.errors.UnexpectedReplyException;
import mambridge.types.Values;

/** Messages: how they are framed, written and read. Knows no thread and no stream. */
final class Wire {
    private Wire() {
    }

    /** A message of the server. */
    sealed interface Message {
    }

    record Reply(Object id, Object result, Object error) implements Message {
        Object value() {
            if (error != null) {
                throw Errors.read(error);
            }
            return result;
        }
    }

    /** A request of the server. */
    record Question(Object id, String method, Object params) implements Message {
    }

    /** A notification of the server: an event or progress. */
    record Notice(String method, Object params) implements Message {
    }

    /** Takes a line, which is the part of the bytes from start to end. */
    interface Taker {
        void take(byte[] bytes, int start, int end);
    }

    /** Cuts a stream of bytes into lines. */
    static final class Lines {
        private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

        void feed(byte[] chunk, int count, Taker line) {
            int start = 0;
            for (int end = 0; end < count; end++) {
                if (chunk[end] == '\n') {
                    take(chunk, start, end, line);
                    start = end + 1;
                }
            }
            rest.write(chunk, start, count - start);
        }

        private void take(byte[] chunk, int start, int end, Taker line) {
            if (rest.size() == 0) {
                line.take(chunk, start, end);
                return;
            }
            rest.write(chunk, start, end - start);
            byte[] found = rest.toByteArray();
            rest.reset();
            line.take(found, 0, found.length);
        }
    }

    // Messages

    /** Reads a line, which may hold the replies to a batch. */
    static void parse(byte[] bytes, int start, int end, Consumer<Message> receive) {
        String text = new String(bytes, start, end - start, StandardCharsets.UTF_8);
        if (text.isBlank()) {
            return;
        }
        Object found = parseJson(text);
        if (found instanceof List<?> batch) {
            batch.stream().map(Wire::message).toList().forEach(receive);
        } else {
            receive.accept(message(found));
        }
    }

    private static Message message(Object json) {
        Map<String, Object> members = Values.object(json);
        Object id = members.get("id");
        if (!members.containsKey("method")) {
            if (!members.containsKey("result") && members.get("error") == null) {
                throw new UnexpectedReplyException("neither a request nor a reply");
            }
            return new Reply(id, members.get("result"), members.get("error"));
        }
        String method = Values.member(members, "method", Values::text);
        Object params = members.getOrDefault("params", Map.of());
        return members.containsKey("id") ? new Question(id, method, params) : new Notice(method, params);
    }

    static byte[] request(long id, String method, Map<String, ?> params) {
        String given = params.isEmpty() ? "" : ",\"params\":" + json(params);
        return line(",\"id\":" + id + ",\"method\":" + json(method) + given);
    }

    static byte[] cancel(long id) {
        return line(",\"method\":\"$/cancelRequest\",\"params\":{\"id\":" + id + "}");
    }

    static byte[] result(Question question, Object result) {
        return line(",\"id\":" + json(question.id()) + ",\"result\":" + json(result));
    }

    static byte[] error(Question question, ServerException error) {
        return line(",\"id\":" + json(question.id()) + ",\"error\":" + json(error.json()));
    }

    private static byte[] line(String members) {
        String text = "{\"jsonrpc\":\"2.0\"" + members + "}\n";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!new String(bytes, StandardCharsets.UTF_8).equals(text)) {
            throw new IllegalArgumentException("a text with half of a surrogate pair cannot be sent");
        }
        return bytes;
    }

    // JSON

    static Object parseJson(String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            Object found = read(reader);
            if (reader.peek() == JsonToken.END_DOCUMENT) {
                return found;
            }
        } catch (IOException | IllegalStateException | NumberFormatException | StackOverflowError error) {
            // The text of the error may hold a part of the message.
        }
        throw new UnexpectedReplyException("the server sent a line that is not JSON");
    }

    private static Object read(JsonReader reader) throws IOException {
        switch (reader.peek()) {
            case BEGIN_OBJECT:
                return readObject(reader);
            case BEGIN_ARRAY:
                return readArray(reader);
            case NUMBER:
                return number(reader.nextString());
            case BOOLEAN:
                return reader.nextBoolean();
            case NULL:
                reader.nextNull();
                return null;
            default:
                return reader.nextString();
        }
    }

    private static Map<String, Object> readObject(JsonReader reader) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        reader.beginObject();
        while (reader.hasNext()) {
            members.put(reader.nextName(), read(reader));
        }
        reader.endObject();
        return Collections.unmodifiableMap(members);
    }

    private static List<Object> readArray(JsonReader reader) throws IOException {
        List<Object> items = new ArrayList<>();
        reader.beginArray();
        while (reader.hasNext()) {
            items.add(read(reader));
        }
        reader.endArray();
        return Collections.unmodifiableList(items);
    }

    /** A Long if the number is written as one and fits, else a Double. */
    private static Number number(String digits) {
        try {
            return Long.valueOf(digits);
        } catch (NumberFormatException error) {
            return Double.valueOf(digits);
        }
    }

    static String json(Object value) {
        StringWriter text = new StringWriter();
        try (JsonWriter writer = new JsonWriter(text)) {
            write(writer, value);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return text.toString();
    }

    private static void write(JsonWriter writer, Object value) throws IOException {
        if (value == null) {
            writer.nullValue();
        } else if (value instanceof String text) {
            writer.value(text);
        } else if (value instanceof Number number) {
            writer.value(number);
        } else if (value instanceof Boolean flag) {
            writer.value(flag);
        } else if (value instanceof Map<?, ?> members) {
            writeObject(writer, members);
        } else if (value instanceof Iterable<?> items) {
            writeArray(writer, items);
        } else {
            write(writer, Values.plain(value));
        }
    }

    private static void writeObject(JsonWriter writer, Map<?, ?> members) throws IOException {
        writer.beginObject();
        for (Map.Entry<?, ?> member : members.entrySet()) {
            writer.name(member.getKey().toString());
            write(writer, member.getValue());
        }
        writer.endObject();
    }

    private static void writeArray(JsonWriter writer, Iterable<?> items) throws IOException {
        writer.beginArray();
        for (Object item : items) {
            write(writer, item);
        }
        writer.endArray();
    }
}
