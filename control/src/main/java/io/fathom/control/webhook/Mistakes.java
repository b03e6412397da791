package io.fathom.control.webhook;

import io.fathom.control.webhook.Verdict.Mistake;
import io.fathom.wire.kube.ManifestProblem;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Finds every mistake in an object with a reader that stops at the first one: what is wrong is taken out, and the rest
/// is read again. Paths are those of the object as it was sent. For one object.
final class Mistakes {
    private static final int MOST = 16;
    private static final Pattern STEP = Pattern.compile("\\[\"([^\"]*)\"]|\\[(\\d+)]|([^.\\[\\]]+)");
    private static final String MISSING = "manifest-missing-field";

    private final Map<String, TreeSet<Integer>> removed = new HashMap<>(); // items taken out, by the path of their list
    private final List<Mistake> found = new ArrayList<>();

    private Mistakes() {}

    /// @param reader gives the first mistake, or nothing
    static List<Mistake> all(Tree object, Function<Tree, Optional<ManifestProblem>> reader) {
        var mistakes = new Mistakes();
        var rest = Optional.of(object);
        for (var looks = 0; looks < MOST && rest.isPresent(); looks++) {
            var current = rest.get();
            rest = reader.apply(current).flatMap(problem -> mistakes.note(current, problem));
        }
        return mistakes.found;
    }

    /// The object without the mistake; empty when that cannot be had.
    private Optional<Tree> note(Tree object, ManifestProblem problem) {
        var steps = steps(problem.field());
        var path = original(steps);
        var known = found.stream().anyMatch(mistake -> mistake.field().equals(path));
        if (!known) {
            found.add(new Mistake(
                    path, problem.problem().message(), problem.problem().fix()));
        }
        if (steps.isEmpty()) {
            return Optional.empty();
        }
        if (known || problem.problem().code().equals(MISSING)) {
            return item(steps).map(item -> without(object, item)); // what must be there cannot be left out alone
        }
        return Optional.of(without(object, steps));
    }

    /// The innermost list item that a path leads through.
    private static Optional<List<Object>> item(List<Object> steps) {
        for (var length = steps.size(); length > 0; length--) {
            if (steps.get(length - 1) instanceof Integer) {
                return Optional.of(steps.subList(0, length));
            }
        }
        return Optional.empty();
    }

    private Tree without(Tree object, List<Object> steps) {
        if (steps.getLast() instanceof Integer index) {
            var list = steps.subList(0, steps.size() - 1);
            removed.computeIfAbsent(original(list), _ -> new TreeSet<>()).add(originalIndex(original(list), index));
        }
        return cut(object, steps, 0);
    }

    private static Tree cut(Tree tree, List<Object> steps, int depth) {
        var last = depth == steps.size() - 1;
        if (tree instanceof Tree.Mapping mapping && steps.get(depth) instanceof String key) {
            var entries = new LinkedHashMap<>(mapping.entries());
            var value = entries.remove(key);
            if (!last && value != null) {
                entries.put(key, cut(value, steps, depth + 1));
            }
            return new Tree.Mapping(mapping.at(), entries);
        }
        if (tree instanceof Tree.Sequence sequence
                && steps.get(depth) instanceof Integer index
                && index < sequence.items().size()) {
            var items = new ArrayList<>(sequence.items());
            var value = items.remove((int) index);
            if (!last) {
                items.add(index, cut(value, steps, depth + 1));
            }
            return new Tree.Sequence(sequence.at(), items);
        }
        return tree;
    }

    private static List<Object> steps(String path) {
        var steps = new ArrayList<>();
        var matcher = STEP.matcher(path);
        while (matcher.find()) {
            if (matcher.group(2) != null) {
                steps.add(Integer.valueOf(matcher.group(2)));
            } else {
                steps.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(3));
            }
        }
        return steps;
    }

    private String original(List<Object> steps) {
        var path = new StringBuilder();
        for (var step : steps) {
            if (step instanceof Integer index) {
                var original = originalIndex(path.toString(), index);
                path.append('[').append(original).append(']');
            } else if (step.toString().matches(".*[./ ].*")) {
                path.append("[\"").append(step).append("\"]");
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step);
            }
        }
        return path.toString();
    }

    private int originalIndex(String list, int index) {
        var original = index;
        for (var gone : removed.getOrDefault(list, new TreeSet<>())) {
            if (gone <= original) {
                original++;
            }
        }
        return original;
    }
}
