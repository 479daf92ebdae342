package mambridge.types;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import mambridge.errors.UnexpectedReplyException;

/**
 * Values between Java and JSON, for the generated code. Bytes are base64, times RFC 3339, and durations ISO 8601.
 * Parsed JSON consists of Map, List, String, Long, Double, Boolean and null.
 */
public final class Values {
    private Values() {
    }

    // Reading

    public static String text(Object json) {
        return as(String.class, json, "a string");
    }

    public static Boolean flag(Object json) {
        return as(Boolean.class, json, "a boolean");
    }

    public static Long integer(Object json) {
        return as(Long.class, json, "an integer");
    }

    public static Double number(Object json) {
        return as(Number.class, json, "a number").doubleValue();
    }

    public static byte[] bytes(Object json) {
        try {
            return Base64.getDecoder().decode(text(json).getBytes(StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException error) {
            throw new UnexpectedReplyException("not base64");
        }
    }

    public static Instant time(Object json) {
        try {
            return OffsetDateTime.parse(text(json)).toInstant();
        } catch (DateTimeException error) {
            throw new UnexpectedReplyException("not a time");
        }
    }

    public static Duration duration(Object json) {
        try {
            return Duration.parse(text(json));
        } catch (DateTimeException error) {
            throw new UnexpectedReplyException("not a duration");
        }
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(Object json) {
        return as(Map.class, json, "an object");
    }

    public static Object any(Object json) {
        return json;
    }

    public static Void nothing(Object json) {
        return null;
    }

    public static <T> Function<Object, T> nullable(Function<Object, T> read) {
        return json -> json == null ? null : read.apply(json);
    }

    public static <T> Function<Object, List<T>> list(Function<Object, T> read) {
        return json -> {
            List<T> items = new ArrayList<>();
            for (Object item : as(List.class, json, "an array")) {
                items.add(read.apply(item));
            }
            return Collections.unmodifiableList(items);
        };
    }

    public static <K, T> Function<Object, Map<K, T>> map(Function<Object, K> readName, Function<Object, T> read) {
        return json -> {
            Map<K, T> entries = new LinkedHashMap<>();
            object(json).forEach((name, value) -> entries.put(readName.apply(name), read.apply(value)));
            return Collections.unmodifiableMap(entries);
        };
    }

    /** Reads a member of an object. */
    public static <T> T member(Map<String, Object> members, String name, Function<Object, T> read) {
        try {
            return read.apply(members.get(name));
        } catch (UnexpectedReplyException error) {
            throw new UnexpectedReplyException(name + ": " + error.getMessage());
        }
    }

    private static <T> T as(Class<T> kind, Object json, String expected) {
        if (!kind.isInstance(json)) {
            throw new UnexpectedReplyException(json == null ? "missing" : "not " + expected);
        }
        return kind.cast(json);
    }

    // Writing

    /** Adds a member to an object unless the member is null. */
    public static void give(Map<String, Object> members, String name, Object value) {
        if (value != null) {
            members.put(name, value);
        }
    }

    /** Converts a value that JSON does not have. */
    public static Object plain(Object value) {
        if (value instanceof Json known) {
            return known.json();
        }
        if (value instanceof byte[] bytes) {
            return Base64.getEncoder().encodeToString(bytes);
        }
        if (value instanceof Instant time) {
            return time.truncatedTo(ChronoUnit.MILLIS).toString();
        }
        if (value instanceof Duration length) {
            return plain(length);
        }
        throw new IllegalArgumentException(value.getClass().getName() + " cannot be sent as JSON");
    }

    private static String plain(Duration length) {
        if (length.isNegative() || length.getNano() != 0) {
            throw new IllegalArgumentException(length + " is negative, or not in whole seconds such as Duration.ofDays(91)");
        }
        return "P" + length.toDays() + "DT" + length.toSeconds() % 86_400 + "S";
    }
}
