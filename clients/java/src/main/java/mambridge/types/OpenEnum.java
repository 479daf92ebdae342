package mambridge.types;

import java.util.List;
import java.util.function.Function;

/**
 * An enum to which a newer server may add values. The constants of a subclass are the values that this version of the
 * client knows; any other value is kept as the server sent it.
 */
public abstract class OpenEnum<V> implements Json {
    private final V value;

    OpenEnum(V value) {
        this.value = value;
    }

    /** The value as it goes over the wire. */
    public final V value() {
        return value;
    }

    @Override
    public final V json() {
        return value;
    }

    @Override
    public final boolean equals(Object other) {
        return other != null && other.getClass() == getClass() && value.equals(((OpenEnum<?>) other).value);
    }

    @Override
    public final int hashCode() {
        return value.hashCode();
    }

    @Override
    public final String toString() {
        return value.toString();
    }

    /** Returns the constant that has the value, or makes an unknown one. */
    static <V, E extends OpenEnum<V>> E find(List<E> constants, V value, Function<V, E> unknown) {
        for (E constant : constants) {
            if (constant.value().equals(value)) {
                return constant;
            }
        }
        return unknown.apply(value);
    }
}
