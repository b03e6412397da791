// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.damage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Spoils an object as people and programs do: a name misspelt, a value of another type, emptied, written twice, moved
/// to where it does not belong, or the rest of the text missing.
@SuppressWarnings({"NullAway", "ReferenceEquality", "UnnecessaryLambda"}) // trees of plain maps, with one mark for null
final class RandomDamage {
    /// Stands for a key without a value.
    static final Object NOTHING = new Object();

    private final Dice dice;

    RandomDamage(Dice dice) {
        this.dice = dice;
    }

    /// A place in an object: how to get there from its `spec`.
    record Place(List<Object> steps) {
        boolean isApartFrom(Place other) {
            var shared = Math.min(steps.size(), other.steps.size());
            return !steps.subList(0, shared).equals(other.steps.subList(0, shared));
        }
    }

    /// One thing that goes wrong at a place.
    record Hit(Place place, String how, int variant) {}

    /// Any place in the spec, and rarely in labels or annotations.
    Hit hit(Map<String, Object> object) {
        var places = new ArrayList<Place>();
        places.add(new Place(List.of("spec")));
        collect(object.get("spec"), List.of("spec"), places);
        var how = dice.pick(
                "rename", "rename", "retype", "retype", "truncate", "empty", "nothing", "duplicate", "move", "respell");
        return new Hit(dice.pick(places), how, dice.below(1000));
    }

    private static void collect(@Nullable Object value, List<Object> steps, List<Place> places) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, entry) -> add(entry, steps, key, places));
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                add(list.get(i), steps, i, places);
            }
        }
    }

    private static void add(@Nullable Object value, List<Object> steps, Object step, List<Place> places) {
        var next = new ArrayList<>(steps);
        next.add(step);
        places.add(new Place(List.copyOf(next)));
        collect(value, next, places);
    }

    /// A copy with the damage.
    static Map<String, Object> apply(Map<String, Object> object, List<Hit> hits) {
        var copy = copy(object);
        hits.forEach(hit -> apply(asMap(copy), hit));
        return asMap(copy);
    }

    private static void apply(Map<String, Object> object, Hit hit) {
        Object parent = object;
        Object grandparent = object;
        var steps = hit.place().steps();
        for (var step : steps.subList(0, steps.size() - 1)) {
            grandparent = parent;
            parent = child(parent, step);
        }
        var step = steps.getLast();
        switch (hit.how()) {
            case "rename" -> rename(parent, step, hit.variant());
            case "retype" -> set(parent, step, retyped(child(parent, step), hit.variant()));
            case "empty" -> set(parent, step, emptied(child(parent, step)));
            case "nothing" -> set(parent, step, NOTHING);
            case "duplicate" -> duplicate(parent, step, hit.variant());
            case "respell" -> set(parent, step, respelled(child(parent, step), hit.variant()));
            case "move" -> {
                if (grandparent instanceof Map<?, ?> && parent instanceof Map<?, ?> && grandparent != parent) {
                    var moved = asMap(parent).remove((String) step);
                    asMap(grandparent).put((String) step, moved);
                }
            }
            default -> truncate(object, steps);
        }
    }

    private static void rename(Object parent, Object step, int variant) {
        if (parent instanceof Map<?, ?>) {
            var entries = new LinkedHashMap<>(asMap(parent));
            asMap(parent).clear();
            entries.forEach((key, value) ->
                    asMap(parent).put(key.equals(step) ? misspelt((String) step, variant) : key, value));
        }
    }

    private static void duplicate(Object parent, Object step, int variant) {
        if (parent instanceof Map<?, ?>) {
            asMap(parent).put(misspelt((String) step, variant), copy(child(parent, step)));
        } else {
            asList(parent).add(copy(child(parent, step)));
        }
    }

    private static String misspelt(String word, int variant) {
        var at = variant % word.length();
        return switch (variant % 5) {
            case 0 -> word.substring(0, at) + word.substring(at + 1) + "_";
            case 1 -> word.substring(0, at) + word.charAt(at) + word.substring(at);
            case 2 -> word + "s_";
            case 3 -> Character.toUpperCase(word.charAt(0)) + word.substring(1) + "x";
            default -> "x" + word;
        };
    }

    private static Object respelled(Object value, int variant) {
        return value instanceof String text && !text.isEmpty() ? misspelt(text, variant) : value;
    }

    private static Object retyped(Object value, int variant) {
        var others = List.of("text", 7, true, new ArrayList<>(), new LinkedHashMap<>(), new ArrayList<>(List.of(1)));
        var other = others.get(variant % others.size());
        if (value instanceof Map<?, ?> map && variant % 2 == 0) {
            return new ArrayList<>(List.of((Object) map)); // a dash too much
        }
        if (value instanceof List<?> list && !list.isEmpty() && variant % 2 == 0) {
            return list.getFirst(); // a dash too few
        }
        return other.getClass() == value.getClass() ? NOTHING : copy(other);
    }

    private static Object emptied(Object value) {
        return switch (value) {
            case Map<?, ?> _ -> new LinkedHashMap<String, Object>();
            case List<?> _ -> new ArrayList<>();
            default -> "";
        };
    }

    /// What comes after the place is not there, and the place has no value.
    private static void truncate(Map<String, Object> object, List<Object> steps) {
        Object here = object;
        for (int depth = 0; depth < steps.size(); depth++) {
            var step = steps.get(depth);
            var next = child(here, step);
            if (here instanceof Map<?, ?>) {
                var kept = new LinkedHashMap<String, Object>();
                for (var entry : asMap(here).entrySet()) {
                    kept.put(entry.getKey(), entry.getValue());
                    if (entry.getKey().equals(step)) {
                        break;
                    }
                }
                asMap(here).keySet().retainAll(kept.keySet());
            } else {
                var list = asList(here);
                list.subList((Integer) step + 1, list.size()).clear();
            }
            if (depth == steps.size() - 1) {
                set(here, step, NOTHING);
            }
            here = next;
        }
    }

    private static Object child(Object parent, Object step) {
        return parent instanceof Map<?, ?> map ? map.get(step) : asList(parent).get((Integer) step);
    }

    private static void set(Object parent, Object step, Object value) {
        if (parent instanceof Map<?, ?>) {
            asMap(parent).put((String) step, value);
        } else {
            asList(parent).set((Integer) step, value);
        }
    }

    private static Object copy(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                var copy = new LinkedHashMap<Object, Object>();
                map.forEach((key, entry) -> copy.put(key, copy(entry)));
                yield copy;
            }
            case List<?> list -> {
                var copy = new ArrayList<Object>();
                list.forEach(item -> copy.add(copy(item)));
                yield copy;
            }
            default -> value;
        };
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> asList(Object value) {
        return (List<Object>) value;
    }
}
