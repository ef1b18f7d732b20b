import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.apache.pig.ExecType;
import org.apache.pig.backend.hadoop.datastorage.ConfigurationUtil;
import org.apache.pig.impl.PigContext;
import org.apache.pig.impl.util.PropertiesUtil;
import org.apache.pig.impl.util.UDFContext;
import org.apache.pig.tools.grunt.Grunt;

/**
 * Runs the scripts of many folders in one JVM with Apache Pig's local mode.
 *
 * Arguments: folders of case folders. A case folder holds `script.pig`, in which `$dir` is the folder. What it printed
 * goes to `pig.out`; a failure's messages, innermost cause last, to `pig.error`; warnings to `pig.told`.
 */
public final class PigOracle {
    private static final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private static final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    public static void main(String[] folders) throws Exception {
        Logger root = Logger.getRootLogger();
        root.removeAllAppenders();
        root.setLevel(Level.WARN);
        root.addAppender(new AppenderSkeleton() {
            @Override protected void append(LoggingEvent event) {
                String message = event.getRenderedMessage();
                if (message != null && message.contains("Encountered Warning")) {
                    told.add(message);
                }
                if (message != null && message.startsWith("job_local") && event.getThrowableInformation() != null) {
                    failures.add(messages(event.getThrowableInformation().getThrowable()));
                }
            }
            @Override public void close() { }
            @Override public boolean requiresLayout() { return false; }
        });
        PrintStream screen = System.out;
        for (String folder : folders) {
            List<Path> cases;
            try (Stream<Path> entries = Files.list(Paths.get(folder))) {
                cases = entries.filter(path -> Files.exists(path.resolve("script.pig"))).sorted().collect(Collectors.toList());
            }
            for (Path path : cases) {
                long begun = System.nanoTime();
                boolean ran = run(path.toAbsolutePath().normalize());
                screen.printf("%s %s %d ms%n", path.getFileName(), ran ? "ran" : "failed", (System.nanoTime() - begun) / 1_000_000);
            }
        }
        System.exit(0);
    }

    private static boolean run(Path folder) throws Exception {
        String script = new String(Files.readAllBytes(folder.resolve("script.pig")), StandardCharsets.UTF_8);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream screen = System.out;
        told.clear();
        failures.clear();
        String error = null;
        System.setOut(new PrintStream(printed, true, "UTF-8"));
        try {
            UDFContext.staticDataCleanup();
            Properties settings = new Properties();
            PropertiesUtil.loadDefaultProperties(settings);
            settings.setProperty("fs.defaultFS", "file:///");
            settings.setProperty("pig.temp.dir", System.getProperty("oracle.temp"));
            settings.setProperty("hadoop.tmp.dir", System.getProperty("oracle.temp"));
            settings.setProperty("pig.jobcontrol.sleep", "20");
            settings.setProperty("mapreduce.task.io.sort.mb", "16");
            settings.setProperty("pig.import.search.path", folder.toString());
            settings.setProperty("pig.datetime.default.tz", "UTC");
            PigContext context = new PigContext(ExecType.LOCAL, settings);
            context.connect();
            context.getDfs().setActiveContainer(context.getDfs().asContainer(folder.toUri().toString()));
            List<String> parameters = new ArrayList<>();
            parameters.add("dir=" + folder);
            context.setParams(parameters);
            String substituted = context.doParamSubstitution(new BufferedReader(new StringReader(script)));
            int[] jobs = new Grunt(new BufferedReader(new StringReader(substituted)), context).exec();
            if (jobs[1] > 0) {
                error = "a job failed";
            }
        } catch (Throwable thrown) {
            error = messages(thrown);
        } finally {
            System.out.flush();
            System.setOut(screen);
        }
        Files.write(folder.resolve("pig.out"), printed.toByteArray());
        Files.write(folder.resolve("pig.told"), String.join("\n", new ArrayList<>(told)).getBytes(StandardCharsets.UTF_8));
        if (error != null) {
            error += String.join("", new ArrayList<>(failures));
            Files.write(folder.resolve("pig.error"), error.getBytes(StandardCharsets.UTF_8));
        } else {
            Files.deleteIfExists(folder.resolve("pig.error"));
        }
        return error == null;
    }

    private static String messages(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            text.append(cause.getClass().getSimpleName()).append(": ").append(cause.getMessage()).append('\n');
        }
        return text.toString();
    }
}
