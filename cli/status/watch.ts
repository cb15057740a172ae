import { createReflector, type Reflector } from '../../runtime/observe/reflector.ts';
import { reportDelayMs } from '../../semantics/plan/held.ts';
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
  isLeftOut,
  matchingTargets,
  listScopeOf,
  podsToList,
  statusObjectsIn,
  sourcesFor,
  verdictCode,
  type StatusQuery,
} from './read-status.ts';
import type { StatusObjects, Source, TargetStatus } from './read.ts';

/** So long a plan may come after its manifest before the watch ends. */
const PLAN_FOLLOWS_MS = reportDelayMs('NoPlan');
/** At most five pictures a second. */
const DRAW_MS = 200;
/** So often pods are asked why a target of a table does not get on. */
const ASK_MS = 3_000;
/** Ages go on when nothing happens. */
const TICK_MS = 1_000;

/** The last word of a watch, as an exit code, and what is to be said with it. */
interface End {
  code: number;
  problem?: string;
  help?: string;
}

/**
 * Shows a status for as long as it changes: on a terminal as one picture that is drawn anew in its place, elsewhere as a
 * line for each change. Of one target it ends with the rollout.
 *
 * @param first what was seen already
 * @param timeoutMs how long it may take; undefined: as long as it takes
 * @returns 0 done, 3 failed, 4 neither in time, 5 held without a plan, 130 after a signal, 1 where the target is gone
 */
export async function watchStatus(
  host: Host,
  reached: ClusterAccess,
  looked: StatusQuery,
  first: StatusObjects,
  timeoutMs: number | undefined,
): Promise<number> {
  const { cluster, clock } = reached;
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  let finish: (end: End) => void = () => {};
  const ended = new Promise<End>((resolve) => (finish = resolve));
  const show = host.screen?.() === undefined ? lines(host, reached) : picture(host);
  const reflectors = new Map<Source, Reflector>();
  let trouble: string | undefined;
  let idle: Refusal | undefined;
  /** The pods of targets in a table that do not get on. */
  let asked = first.pods;
  let dirty = false;
  /** A hold ends the watch once it has stood for a while. */
  let cancelHold: (() => void) | undefined;

  function seenNow(): StatusObjects {
    // Until everything was listed once, what was read at first is what is known.
    if ([...reflectors.values()].some(({ version }) => version === 0)) return first;
    const seen = statusObjectsIn(
      [...reflectors].map(([{ part }, reflector]) => ({ part, items: [...reflector.values()] })),
    );
    return looked.target === undefined ? { ...seen, pods: asked } : seen;
  }

  function draw(): void {
    const seen = seenNow();
    const statuses = matchingTargets(seen, looked);
    if ('problem' in statuses) {
      finish({ code: exitCode.error, ...statuses });
      return;
    }
    const notes = [trouble, idle && `${idle.problem}; ${idle.help}`].filter((note) => note !== undefined);
    show(statuses, renderStatus(host, reached.now(), looked, statuses, seen), notes);
    const [only] = statuses;
    if (looked.target === undefined || only === undefined) return;
    if (only.verdict !== 'held') {
      cancelHold?.();
      cancelHold = undefined;
    }
    if (only.verdict === 'held') cancelHold ??= clock.after(PLAN_FOLLOWS_MS, () => finish(heldEnd(only)));
    else if (only.verdict !== 'underway') finish({ code: verdictCode([only]) });
  }

  /** Draws at once, and then not again before its time. */
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

  for (const source of sourcesFor(looked)) {
    const reflector = createReflector({
      cluster,
      clock,
      resource: source.resource,
      ...listScopeOf(looked, source),
      onChange: redraw,
      onSync() {
        trouble = undefined;
        redraw();
      },
      onError(error) {
        if (isLeftOut(source, error)) {
          reflectors.get(source)?.stop();
          reflectors.delete(source);
          return;
        }
        trouble = `the output may be out of date: ${reached.explain(error).problem}`;
        redraw();
      },
    });
    reflectors.set(source, reflector);
  }
  const unlisten = machine.onSignal(() => finish({ code: exitCode.interrupted }));
  function statusesNow(): readonly TargetStatus[] {
    const statuses = matchingTargets(seenNow(), looked);
    return 'problem' in statuses ? [] : statuses;
  }
  const unwatch = watchLeaders(reached, statusesNow, (found) => {
    if (found?.problem === idle?.problem) return;
    idle = found;
    redraw();
  });
  const cancels = [unlisten, unwatch];
  if (looked.target === undefined)
    cancels.push(
      repeat(clock, ASK_MS, async () => {
        asked = await podsToList(reached, statusesNow());
        redraw();
      }),
    );
  if (timeoutMs !== undefined)
    cancels.push(
      clock.after(timeoutMs, () =>
        finish({
          code: exitCode.undecided,
          problem: `the rollout has neither succeeded nor failed within ${formatDuration(timeoutMs)}`,
          help: 'the rollout continues; check it with kruise status',
        }),
      ),
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

/** The end of a watch of a target for which no rollout can begin. */
function heldEnd({ kind, name, namespace, waitingOn }: TargetStatus): End {
  return {
    code: exitCode.held,
    problem: `${kind}/${name} ${namespaceText(namespace)} is held (${waitingOn}) and needs a change in git`,
    help: `kruise status ${kind}/${name}${namespaceOption(namespace)} shows the reason and what to do`,
  };
}

/** `notes` are about all of it. */
type Show = (statuses: readonly TargetStatus[], text: readonly string[], notes: readonly string[]) => void;

/** One picture, drawn anew where it stands. What does not fit on the screen is counted; notes are not left out. */
function picture(host: Host): Show {
  let before: number[] = [];
  return (_statuses, text, notes) => {
    const { columns, rows } = host.screen?.() ?? { columns: 80, rows: 24 };
    const below = notes.flatMap((note) => ['', forTerminal(note)]);
    const room = Math.max(1, rows - 1 - rowsOf(below, columns));
    const shown = [...foldedTo(text, columns, room), ...below];
    // The terminal has folded what was drawn, where it is narrower by now.
    const up = before.reduce((sum, length) => sum + rowsFor(length, columns), 0);
    const start = up === 0 ? '\r' : `\r\u001b[${up}A`;
    const drawing = `${start}${shown.map((line) => `${forScreen(line)}\u001b[K\n`).join('')}\u001b[J`;
    if (host.draw === undefined) host.stdout(drawing);
    else host.draw(drawing);
    before = shown.map(lengthOf);
  };
}

/** The rows that a line of this length takes. */
function rowsFor(length: number, columns: number): number {
  return Math.max(1, Math.ceil(length / columns));
}

function rowsOf(texts: readonly string[], columns: number): number {
  return texts.reduce((sum, line) => sum + rowsFor(lengthOf(line), columns), 0);
}

/** As many lines as there is room for, by the rows that each takes. */
function foldedTo(text: readonly string[], columns: number, room: number): string[] {
  const shown: string[] = [];
  let used = 0;
  for (const [at, line] of text.entries()) {
    const takes = rowsFor(lengthOf(line), columns);
    const isLast = at === text.length - 1;
    if (used + takes > room - (isLast ? 0 : 1)) {
      shown.push(`… ${text.length - at} more lines`);
      break;
    }
    used += takes;
    shown.push(line);
  }
  return shown;
}

const COLOUR = /\u001b\[[0-9;]*m/g;

function lengthOf(line: string): number {
  return line.replace(COLOUR, '').length;
}

/** A line for each target that shows something else than before, with the time. */
function lines(host: Host, { now }: ClusterAccess): Show {
  const before = new Map<string, string>();
  let noted: readonly string[] = [];
  return (statuses, _text, notes) => {
    for (const note of notes) if (!noted.includes(note)) host.stderr(`kruise status: ${forTerminal(note)}\n`);
    noted = notes;
    for (const { namespace, kind, name, phase, step, updated, ready, waitingOn, message } of statuses) {
      const key = `${namespace}/${kind}/${name}`;
      const parts = [
        `${phase || 'no plan'}${step === '' ? '' : ` ${step}`}`,
        ...(updated === '' ? [] : [`${updated} updated`, `${ready} ready`]),
        ...(waitingOn === '' || message !== '' ? [] : [`waits for ${waitingOn}`]),
      ];
      const text = `${key}: ${parts.join(', ')}${message === '' ? '' : `; ${message}`}`;
      if (before.get(key) === text) continue;
      before.set(key, text);
      host.stdout(`${new Date(now()).toISOString().slice(0, 19)}Z ${forTerminal(text)}\n`);
    }
  };
}
