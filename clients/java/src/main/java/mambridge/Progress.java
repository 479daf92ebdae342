package mambridge;

import static mambridge.types.Values.member;
import static mambridge.types.Values.nullable;

import java.util.Map;
import mambridge.types.Values;

/** How far long work is. {@code percentage} is 0 to 100, or null if unknown; {@code message} may be null. */
public record Progress(String kind, Double percentage, String message) {
    static Progress fromJson(Object json) {
        Map<String, Object> members = Values.object(json);
        return new Progress(
            member(members, "kind", Values::text),
            member(members, "percentage", nullable(Values::number)),
            member(members, "message", nullable(Values::text)));
    }
}
