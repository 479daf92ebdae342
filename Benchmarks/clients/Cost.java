import java.util.Arrays;
import mambridge.Client;

/** Cost CALLS COMMAND…: does the same as cost.py with the Java client. */
public final class Cost {
    private Cost() { }

    public static void main(String[] arguments) {
        int calls = Integer.parseInt(arguments[0]);
        String[] options = Arrays.copyOfRange(arguments, 2, arguments.length);
        try (Client client = Client.spawn(arguments[1], options)) {
            for (int part : new int[] {1, calls, calls}) {
                String answer = "";
                for (int call = 0; call < part; call++) {
                    answer = client.versionInfo().sdkVersion();
                }
                System.out.println(answer);
            }
        }
    }
}
