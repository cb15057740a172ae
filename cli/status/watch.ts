import { createReflector, type Reflector } from '../../runtime/observe/reflector.ts';
import { reportDelayMs } from '../../semantics/plan/held-condition.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import type { Host } from '../host.ts';
import { forScreen, forTerminal } from '../../compiler/text/escape.ts';
import { repeat, type ClusterAccess } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import { namespaceOption, namespaceText } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import { watchLeaders } from './leaders.ts';
import {
  renderStatus,
  isOmitted,
  matchingTargets,
  listScopeOf,
  podsToList,
  statusObjectsIn,
  sourcesFor,
  verdictCode,
  type StatusQuery,
} from './read-status.ts';
import { heldOf, shownPhase, type StatusObjects, type Source, type TargetStatus } from './read.ts';

/** How long a plan may follow its manifest before the watch ends. */
const PLAN_FOLLOWS_MS = reportDelayMs('NoPlan');
/** The least time between two updates of the output. */
const DRAW_MS = 200;
/** How often the pods of targets in a table that make no progress are listed. */
const LIST_MS = 3_000;
/** How often ages are updated if nothing else changes. */
const TICK_MS = 1_000;

/** The end of a watch: its exit code, and a message if there is one. */
interface End {
  code: number;
  problem?: string;
  help?: string;
}

/**
 * Shows a status while it changes: on a terminal in place, elsewhere as a line for each change. With one target it ends
 * with the rollout.
 *
 * @param first the status that was already read
 * @param timeoutMs the longest duration; undefined: unlimited
 * @returns 0 done, 3 failed, 4 neither within the timeout, 5 held without a plan, 130 after a signal, 1 if the target is
 * gone
 */
export async function watchStatus(
  host: Host,
  reached: ClusterAccess,
  query: StatusQuery,
  first: StatusObjects,
  timeoutMs: number | undefined,
): Promise<number> {
  const { cluster, clock } = reached;
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  let finish: (end: End) => void = () => {};
  const ended = new Promise<End>((resolve) => (finish = resolve));
  const show = host.screen?.() === undefined ? lines(host, reached) : inPlace(host);
  const reflectors = new Map<Source, Reflector>();
  let listProblem: string | undefined;
  let idle: Refusal | undefined;
  /** The pods of targets in a table that make no progress. */
  let listedPods = first.pods;
  let dirty = false;
  /** A hold ends the watch only after a while. */
  let cancelHold: (() => void) | undefined;

  function currentObjects(): StatusObjects {
    // Until everything was listed once, use what was read first.
    if ([...reflectors.values()].some(({ version }) => version === 0)) return first;
    const objects = statusObjectsIn(
      [...reflectors].map(([{ part }, reflector]) => ({ part, items: [...reflector.values()] })),
    );
    return query.target === undefined ? { ...objects, pods: listedPods } : objects;
  }

  function draw(): void {
    const objects = currentObjects();
    const statuses = matchingTargets(objects, query);
    if ('problem' in statuses) {
      finish({ code: exitCode.error, ...statuses });
      return;
    }
    const notes = [listProblem, idle && `${idle.problem}; ${idle.help}`].filter((note) => note !== undefined);
    show(statuses, renderStatus(host, reached.now(), query, statuses, objects), notes);
    const [only] = statuses;
    if (query.target === undefined || only === undefined) return;
    if (only.verdict !== 'held') {
      cancelHold?.();
      cancelHold = undefined;
    }
    if (only.verdict === 'held') cancelHold ??= clock.after(PLAN_FOLLOWS_MS, () => finish(heldEnd(only)));
    else if (only.verdict !== 'underway') finish({ code: verdictCode([only]) });
  }

  /** Updates the output at once, and further changes at the next interval. */
  let cancelDraw: (() => void) | undefined;
  function redraw(): void {
    if (cancelDraw !== undefined) {
      dirty = true;
      return;
    }
    draw();
    cancelDraw = clock.after(DRAW_MS, () => {
      cancelDraw = undefined;
      if (dirty) redraw();
    });
    dirty = false;
  }

  for (const source of sourcesFor(query)) {
    const { labelSelector, ...scope } = listScopeOf(query, source);
    const reflector = createReflector({
      cluster,
      clock,
      resource: source.resource,
      ...scope,
      ...(labelSelector === undefined ? {} : { labelSelector: () => labelSelector }),
      onChange: redraw,
      onSync() {
        listProblem = undefined;
        redraw();
      },
      onError(error) {
        if (isOmitted(source, error)) {
          reflectors.get(source)?.stop();
          reflectors.delete(source);
          return;
        }
        listProblem = `the output may be out of date: ${reached.explain(error).problem}`;
        redraw();
      },
    });
    reflectors.set(source, reflector);
  }
  const removeListener = machine.onSignal(() => finish({ code: exitCode.interrupted }));
  function statusesNow(): readonly TargetStatus[] {
    const statuses = matchingTargets(currentObjects(), query);
    return 'problem' in statuses ? [] : statuses;
  }
  const unwatch = watchLeaders(reached, statusesNow, (found) => {
    if (found?.problem === idle?.problem) return;
    idle = found;
    redraw();
  });
  const cancels = [removeListener, unwatch];
  if (query.target === undefined)
    cancels.push(
      repeat(clock, LIST_MS, async () => {
        listedPods = await podsToList(reached, statusesNow());
        redraw();
      }),
    );
  if (timeoutMs !== undefined)
    cancels.push(
      clock.after(timeoutMs, () => {
        const only = query.target === undefined ? undefined : statusesNow()[0];
        finish(only?.verdict === 'held' ? heldEnd(only) : timeoutEnd(timeoutMs, only));
      }),
    );
  let cancelTick = (): void => {};
  function tick(): void {
    cancelTick = clock.after(TICK_MS, () => {
      redraw();
      tick();
    });
  }
  if (host.screen?.() !== undefined) tick();
  redraw();
  for (const reflector of reflectors.values()) reflector.start();
  try {
    const { code, problem, help } = await ended;
    if (problem !== undefined) reportRefusal(host, 'status', { problem, help: help ?? '' });
    return code;
  } finally {
    for (const reflector of reflectors.values()) reflector.stop();
    for (const cancel of cancels) cancel();
    cancelTick();
    cancelDraw?.();
    cancelHold?.();
  }
}

/** The result of a timeout, and what to do: a target that is held does not continue by itself. */
function timeoutEnd(timeoutMs: number, only: TargetStatus | undefined): End {
  const code = exitCode.undecided;
  const problem = `the rollout has neither succeeded nor failed within ${formatDuration(timeoutMs)}`;
  const held = only === undefined ? undefined : heldOf(only.object);
  if (only === undefined || held === undefined)
    return { code, problem, help: 'the rollout continues; check it with kruise status' };
  const { kind, name, namespace } = only;
  const help = `kruise status ${kind}/${name}${namespaceOption(namespace)} shows the reason and what to do`;
  return { code, problem: `${problem}: it is held (${held.reason})`, help };
}

/** The end of a watch of a target for which no rollout can start. */
function heldEnd({ kind, name, namespace, waitingOn }: TargetStatus): End {
  return {
    code: exitCode.held,
    problem: `${kind}/${name} ${namespaceText(namespace)} is held (${waitingOn}) and needs a change in git`,
    help: `kruise status ${kind}/${name}${namespaceOption(namespace)} shows the reason and what to do`,
  };
}

/** Shows statuses. `notes` apply to all of them. */
type Show = (statuses: readonly TargetStatus[], text: readonly string[], notes: readonly string[]) => void;

/** Updates the output in place on a terminal. Counts the lines that do not fit; notes are always shown. */
function inPlace(host: Host): Show {
  let before: number[] = [];
  return (_statuses, text, notes) => {
    const { columns, rows } = host.screen?.() ?? { columns: 80, rows: 24 };
    const below = notes.flatMap((note) => ['', forTerminal(note)]);
    const most = Math.max(1, rows - 1 - rowsOf(below, columns));
    const shown = [...foldedTo(text, columns, most), ...below];
    // A terminal that became narrower has wrapped the previous output.
    const up = before.reduce((sum, length) => sum + rowsFor(length, columns), 0);
    const start = up === 0 ? '\r' : `\r\u001b[${up}A`;
    const drawing = `${start}${shown.map((line) => `${forScreen(line)}\u001b[K\n`).join('')}\u001b[J`;
    if (host.draw === undefined) host.stdout(drawing);
    else host.draw(drawing);
    before = shown.map(lengthOf);
  };
}

/** The number of rows of a line with this length. */
function rowsFor(length: number, columns: number): number {
  return Math.max(1, Math.ceil(length / columns));
}

function rowsOf(texts: readonly string[], columns: number): number {
  return texts.reduce((sum, line) => sum + rowsFor(lengthOf(line), columns), 0);
}

/** As many lines as fit, by the rows of each. */
function foldedTo(text: readonly string[], columns: number, most: number): string[] {
  const shown: string[] = [];
  let used = 0;
  for (const [at, line] of text.entries()) {
    const height = rowsFor(lengthOf(line), columns);
    const isLast = at === text.length - 1;
    if (used + height > most - (isLast ? 0 : 1)) {
      shown.push(`… ${text.length - at} more lines`);
      break;
    }
    used += height;
    shown.push(line);
  }
  return shown;
}

const COLOR = /\u001b\[[0-9;]*m/g;

function lengthOf(line: string): number {
  return line.replace(COLOR, '').length;
}

/** Prints a line with the time for each target whose output has changed. */
function lines(host: Host, { now }: ClusterAccess): Show {
  const before = new Map<string, string>();
  let noted: readonly string[] = [];
  return (statuses, _text, notes) => {
    for (const note of notes) if (!noted.includes(note)) host.stderr(`kruise status: ${forTerminal(note)}\n`);
    noted = notes;
    for (const status of statuses) {
      const { namespace, kind, name, step, counts, waitingOn, message } = status;
      const key = `${namespace}/${kind}/${name}`;
      const parts = [
        `${shownPhase(status)}${step === '' ? '' : ` ${step}`}`,
        ...(counts === '' ? [] : [counts]),
        ...(waitingOn === '' || message !== '' ? [] : [`waits for ${waitingOn}`]),
      ];
      const text = `${key}: ${parts.join(', ')}${message === '' ? '' : `; ${message}`}`;
      if (before.get(key) === text) continue;
      before.set(key, text);
      host.stdout(`${new Date(now()).toISOString().slice(0, 19)}Z ${forTerminal(text)}\n`);
    }
  };
}
