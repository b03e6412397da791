// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/// What each cluster exports. A service is a row, numbered by its path; a fact is five numbers in it, and what many
/// facts have in common is held once. So ten million facts take some hundred bytes each where no two clusters share a
/// name, and some thirty where they do. Not thread-safe.
public final class FactStore {
    private static final Duration TOMBSTONES_KEPT = Duration.ofHours(1);
    private static final int ORIGIN = 0;
    private static final int BODY = 1;
    private static final int SPREAD = 2;
    private static final int SEQUENCE = 3;
    private static final int EXPORTED = 4;
    private static final int CELL = 5;
    private static final int[] NOBODY = new int[0];

    private final PathTable paths = new PathTable();
    private final BlobTable bodies = new BlobTable(ServiceFactCodec::ports);
    private final BlobTable spreads = new BlobTable(ServiceFactCodec::ready);
    private final Map<Integer, OriginFacts> origins = new HashMap<>();
    private final Map<Integer, Integer> buried = new HashMap<>();
    private final Consumer<FactChange> listener;
    private int[][] cells = new int[64][];
    private int[] widths = new int[64];
    private long facts;

    /// Empty.
    ///
    /// @param listener hears of each change after it was made
    public FactStore(Consumer<FactChange> listener) {
        this.listener = listener;
        Arrays.fill(cells, NOBODY);
    }

    private OriginFacts origin(int origin) {
        return origins.computeIfAbsent(origin, OriginFacts::new);
    }

    /// Up to where an origin is known.
    public FactVersion version(int origin) {
        return origin(origin).version();
    }

    public void advance(int origin, FactVersion version) {
        origin(origin).advance(version);
    }

    /// What an origin said up to that version has been [put][#put], as it was kept.
    public void restored(int origin, FactVersion version) {
        origin(origin).restored(version);
    }

    public boolean inSnapshot(int origin) {
        return origin(origin).inSnapshot();
    }

    /// From here on an origin has to say again that what is missing is gone.
    public void unsettle(int origin) {
        origin(origin).snapshotEnds();
        origin(origin).unsettle();
    }

    /// Everything of that origin.
    public OriginDigest digest(int origin) {
        return origin(origin).digest();
    }

    /// Whether what is missing of an origin is known to be missing.
    public boolean isSettled(int origin) {
        return origin(origin).settled();
    }

    public int count(int origin) {
        return origin(origin).rows.size();
    }

    /// Facts of all origins.
    public long facts() {
        return facts;
    }

    /// Different paths.
    public int services() {
        return paths.size();
    }

    /// Different bodies and spreads.
    public int blobs() {
        return bodies.size() + spreads.size();
    }

    /// Takes a fact in.
    ///
    /// @throws io.fathom.base.lang.ProblemException when it is malformed; nothing has changed then
    public void put(int origin, ServiceFact fact, long sequence) {
        var known = paths.row(fact.path());
        if (known < 0) {
            ServiceFactCodec.checkNames(fact.namespace(), fact.name());
        }
        var body = bodies.use(fact.body());
        int spread;
        try {
            spread = spreads.use(fact.spread());
        } catch (RuntimeException e) {
            bodies.release(body);
            throw e;
        }
        var row = paths.rowOrNew(fact.path());
        if (row >= cells.length) {
            var length = cells.length;
            cells = Arrays.copyOf(cells, length * 2);
            widths = Arrays.copyOf(widths, length * 2);
            Arrays.fill(cells, length, cells.length, NOBODY);
        }
        var of = origin(origin);
        if (of.inSnapshot()) {
            of.snapshot.add(row);
        }
        var cell = cell(row, origin);
        if (cell < 0) {
            cell = insert(row, ~cell);
            write(row, cell, origin, body, spread, sequence, fact.exported());
            of.rows.add(row);
            of.plus(hash(row, cell));
            facts++;
            listener.accept(new FactChange(
                    row, origin, FactChange.ABSENT, spreads.attribute(spread), FactChange.ChangeKind.SERVICE));
            return;
        }
        var bodyBefore = cells[row][cell + BODY];
        var spreadBefore = cells[row][cell + SPREAD];
        if (bodyBefore == body && spreadBefore == spread) {
            bodies.release(body);
            spreads.release(spread);
            return;
        }
        of.minus(hash(row, cell));
        var readyBefore = spreads.attribute(spreadBefore);
        write(row, cell, origin, body, spread, sequence, fact.exported());
        of.plus(hash(row, cell));
        bodies.release(bodyBefore);
        spreads.release(spreadBefore);
        listener.accept(new FactChange(
                row,
                origin,
                readyBefore,
                spreads.attribute(spread),
                bodyBefore == body ? FactChange.ChangeKind.WEIGHT : FactChange.ChangeKind.SERVICE));
    }

    private void write(int row, int cell, int origin, int body, int spread, long sequence, long exported) {
        var of = cells[row];
        of[cell + ORIGIN] = origin;
        of[cell + BODY] = body;
        of[cell + SPREAD] = spread;
        of[cell + SEQUENCE] = (int) sequence;
        of[cell + EXPORTED] = (int) exported;
    }

    /// Negative when the origin has no such service: all bits turned over, where it would be. Cells are in the order of
    /// origins.
    private int cell(int row, int origin) {
        var of = cells[row];
        var low = 0;
        for (var high = widths[row]; low < high; ) {
            var middle = (low + high) >>> 1;
            if (of[middle * CELL + ORIGIN] < origin) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        var cell = low * CELL;
        return low < widths[row] && of[cell + ORIGIN] == origin ? cell : ~cell;
    }

    private int insert(int row, int cell) {
        var end = CELL * widths[row]++;
        if (end == cells[row].length) {
            cells[row] = Arrays.copyOf(cells[row], end + CELL * (1 + widths[row] / 4));
        }
        System.arraycopy(cells[row], cell, cells[row], cell + CELL, end - cell);
        return cell;
    }

    private long hash(int row, int cell) {
        var of = cells[row];
        return ServiceFact.hash64(paths.path(row), bodies.blob(of[cell + BODY]), spreads.blob(of[cell + SPREAD]));
    }

    /// Takes new numbers of endpoints in, for a service that is named by its key.
    ///
    /// @return whether the origin has exactly one service with that key
    public boolean weigh(int origin, int key, Blob spread, long sequence) {
        var found = Arrays.stream(paths.rows(key))
                .filter(row -> cell(row, origin) >= 0)
                .toArray();
        if (found.length != 1) {
            return false;
        }
        put(origin, fact(found[0], origin).spread(spread), sequence);
        return true;
    }

    private ServiceFact fact(int row, int origin) {
        var path = paths.path(row);
        var slash = path.indexOf('/');
        var cell = cell(row, origin);
        var of = cells[row];
        return new ServiceFact(
                path.substring(0, slash),
                path.substring(slash + 1),
                bodies.blob(of[cell + BODY]),
                spreads.blob(of[cell + SPREAD]),
                of[cell + EXPORTED]);
    }

    /// The origin exports that service no more.
    public void remove(int origin, String path, long sequence, Instant now) {
        var row = paths.row(path);
        if (row >= 0) {
            remove(origin(origin), origin, row, sequence, now);
        }
    }

    private void remove(OriginFacts of, int origin, int row, long sequence, Instant now) {
        var cell = cell(row, origin);
        if (cell < 0) {
            return;
        }
        var before = cells[row];
        var ready = spreads.attribute(before[cell + SPREAD]);
        of.minus(hash(row, cell));
        bodies.release(before[cell + BODY]);
        spreads.release(before[cell + SPREAD]);
        var end = CELL * --widths[row];
        System.arraycopy(before, cell + CELL, before, cell, end - cell);
        if (end == 0) {
            cells[row] = NOBODY;
        }
        of.rows.remove(row);
        of.snapshot.remove(row);
        of.bury(new OriginFacts.Tombstone(row, sequence, now));
        buried.merge(row, 1, Integer::sum);
        facts--;
        listener.accept(new FactChange(row, origin, ready, FactChange.ABSENT, FactChange.ChangeKind.SERVICE));
        unearth(of, now);
    }

    private void unearth(OriginFacts of, Instant now) {
        while (of.hasOldTombstone(now.minus(TOMBSTONES_KEPT))) {
            var row = of.unearth().row();
            buried.computeIfPresent(row, (_, count) -> count == 1 ? null : count - 1);
            if (widths[row] == 0 && !buried.containsKey(row)) {
                paths.free(row);
            }
        }
    }

    /// From here to [#snapshotEnds] the origin says everything that it exports.
    public void snapshotBegins(int origin) {
        origin(origin).snapshotBegins();
    }

    /// What was not said since then has gone, and from now on absence is removal.
    public void snapshotEnds(int origin, long sequence, Instant now) {
        var of = origin(origin);
        if (of.inSnapshot()) {
            for (var row : of.rows.toArray()) {
                if (!of.snapshot.contains(row)) {
                    remove(of, origin, row, sequence, now);
                }
            }
        }
        of.snapshotEnds();
        of.settle();
    }

    /// A stream ended before its snapshot did.
    public void snapshotBreaks(int origin) {
        origin(origin).snapshotEnds();
    }

    /// Takes everything of an origin away, which has left.
    public void forget(int origin, Instant now) {
        var of = origin(origin);
        for (var row : of.rows.toArray()) {
            remove(of, origin, row, of.version().sequence(), now);
        }
    }

    /// After which sequence things of an origin are news for somebody who knows it up to `mark`; nothing when that
    /// cannot be said.
    OptionalLong newsSince(int origin, FactVersion mark) {
        return origin(origin).newsSince(mark);
    }

    /// Whether one of those that have a service has said something of it since.
    ///
    /// @param since a sequence for each origin
    boolean isNews(int row, long[] since) {
        var of = cells[row];
        for (var cell = 0; cell < widths[row] * CELL; cell += CELL) {
            if (of[cell + ORIGIN] < since.length && of[cell + SEQUENCE] > since[of[cell + ORIGIN]]) {
                return true;
            }
        }
        return false;
    }

    /// Goes through what an origin has no more since then.
    void removedSince(int origin, long sequence, IntConsumer rows) {
        origin(origin).tombstones.stream()
                .filter(tombstone -> tombstone.sequence() > sequence)
                .forEach(tombstone -> rows.accept(tombstone.row()));
    }

    /// Goes through everything that an origin has no more, as long as that is remembered.
    public void removed(int origin, IntConsumer rows) {
        origin(origin).tombstones.forEach(tombstone -> rows.accept(tombstone.row()));
    }

    /// Everything that an origin has.
    public int[] rows(int origin) {
        return origin(origin).rows.toArray();
    }

    /// All there is to say of one origin, to be kept.
    public IntStream rowsOf(int origin) {
        return Arrays.stream(rows(origin));
    }

    public ServiceFact factOf(int row, int origin) {
        return fact(row, origin);
    }

    /// Rows are less than this.
    public int limit() {
        return paths.limit();
    }

    public boolean isUsed(int row) {
        return paths.isUsed(row);
    }

    public String path(int row) {
        return paths.path(row);
    }

    /// -1 when there is none.
    public int row(String path) {
        return paths.row(path);
    }

    public boolean has(int row, int origin) {
        return cell(row, origin) >= 0;
    }

    /// How many endpoints one that has it has.
    int readyOf(int row, int origin) {
        return spreads.attribute(cells[row][cell(row, origin) + SPREAD]);
    }

    /// The ports of one that has it, as [#portsAt].
    public int portsOf(int row, int origin) {
        return bodies.attribute(cells[row][cell(row, origin) + BODY]);
    }

    boolean hasOwnKey(int row) {
        return paths.rows(ServiceFact.key(paths.path(row))).length == 1;
    }

    /// How many origins have a service.
    public int width(int row) {
        return widths[row];
    }

    public int originAt(int row, int index) {
        return cells[row][index * CELL + ORIGIN];
    }

    public int readyAt(int row, int index) {
        return spreads.attribute(cells[row][index * CELL + SPREAD]);
    }

    long hashAt(int row, int index) {
        return hash(row, index * CELL);
    }

    /// Equal for equal ports.
    public int portsAt(int row, int index) {
        return bodies.attribute(cells[row][index * CELL + BODY]);
    }

    public int exportedAt(int row, int index) {
        return cells[row][index * CELL + EXPORTED];
    }

    Blob bodyAt(int row, int index) {
        return bodies.blob(cells[row][index * CELL + BODY]);
    }

    Blob spreadAt(int row, int index) {
        return spreads.blob(cells[row][index * CELL + SPREAD]);
    }
}
