package mambridge.types;

/** A value that knows how it looks in JSON. */
public interface Json {
    /** A map, list, string, number, boolean or null, or another value that {@link Values} can send. */
    Object json();
}
