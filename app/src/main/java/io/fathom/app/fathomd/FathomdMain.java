package io.fathom.app.fathomd;

import io.fathom.app.BuildInfo;
import io.fathom.app.log.LogSetup;
import io.fathom.base.lang.ProblemException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Starts a control plane from the command line and runs it until told to stop.
///
/// Exit codes: 0 fine, 1 could not start or (with `--check`) manifests have problems, 2 wrong flags or variables.
public final class FathomdMain {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private FathomdMain() {}

    public static void main(String[] args) throws InterruptedException {
        int code;
        try {
            code = run(args, System.getenv());
        } catch (ProblemException e) {
            System.err.println("fathomd: " + e.problem().message());
            System.err.println("  fix: " + e.problem().fix());
            code = e.problem().code().startsWith("bad-") ? WRONG_USAGE : FAILED;
        }
        System.exit(code);
    }

    private static int run(String[] args, Map<String, String> environment) throws InterruptedException {
        var settings = Settings.read(args, environment);
        switch (settings.mode()) {
            case HELP -> System.out.print(Settings.help());
            case VERSION -> System.out.println("fathomd " + BuildInfo.current().text());
            case CHECK -> {
                return check(FathomdConfig.of(settings));
            }
            case RUN, WELCOME -> serve(FathomdConfig.of(settings), settings.mode());
        }
        return 0;
    }

    private static int check(FathomdConfig config) {
        LogSetup.level("warn");
        try (var fathomd = Fathomd.start(config)) {
            System.out.print(fathomd.welcome());
            return fathomd.problems().isEmpty() ? 0 : FAILED;
        }
    }

    private static void serve(FathomdConfig config, Settings.Mode mode) throws InterruptedException {
        LogSetup.level(config.logLevel());
        var fathomd = Fathomd.start(config);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("stop").unstarted(fathomd::close));
        if (mode == Settings.Mode.WELCOME) {
            System.out.print(fathomd.welcome() + "Ctrl-C stops it.\n");
        }
        new CountDownLatch(1).await(); // until a signal ends the process
    }
}
