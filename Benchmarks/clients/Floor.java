import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Floor CALLS COMMAND…: does the same as floor.py. */
public final class Floor {
    private static final byte[] REQUEST =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"versionInfo.sdkVersion\"}\n".getBytes(StandardCharsets.UTF_8);

    private Floor() { }

    public static void main(String[] arguments) throws IOException {
        int calls = Integer.parseInt(arguments[0]);
        Process server = new ProcessBuilder(Arrays.asList(arguments).subList(1, arguments.length)).start();
        try (OutputStream input = server.getOutputStream();
            BufferedReader output =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            for (int part : new int[] {1, calls, calls}) {
                String answer = "";
                for (int call = 0; call < part; call++) {
                    input.write(REQUEST);
                    input.flush();
                    answer = JsonParser.parseString(output.readLine()).getAsJsonObject().get("result").getAsString();
                }
                System.out.println(answer);
            }
        }
    }
}
