import { forTerminal } from '../../compiler/text/escape.ts';
import type { Paint, Style } from '../../compiler/text/paint.ts';
import type { TargetStatus } from './read.ts';

/** How a status is drawn. */
export interface Drawing {
  paint: Paint;
  /** Milliseconds since 1970, for ages. */
  now: number;
  /** Lines end there; undefined: nowhere. */
  columns: number | undefined;
}

const HEAD = [
  'NAMESPACE',
  'TARGET',
  'PHASE',
  'STEP',
  'UPDATED',
  'READY',
  'WAITING-ON',
  'AGE',
  'MESSAGE',
] as const;
/** A word for what is waited for may be a whole sentence, which MESSAGE has. */
const WIDEST = 32;

/** What a narrow screen shows of a target below its line. */
const BELOW: ReadonlySet<string> = new Set(['WAITING-ON', 'MESSAGE']);

/**
 * Every target in a line, with the words of `kubectl get rolloutplans`. Where that does not fit, what a target waits for
 * stands below its line, and is never cut: the command in it is there to be copied.
 */
export function statusTable(statuses: readonly TargetStatus[], drawing: Drawing): string[] {
  const { columns, paint } = drawing;
  const texts = [[...HEAD], ...statuses.map((status) => cellsOf(status, drawing.now))];
  const wide = aligned(texts, 3);
  if (columns === undefined || wide.every((line) => line.length < columns))
    return wide.map((line, at) => painted(line, statuses[at - 1], paint));
  const kept = texts.map((cells) => cells.filter((_, at) => !BELOW.has(HEAD[at] ?? '')));
  return aligned(kept, 2).flatMap((line, at) => {
    const status = statuses[at - 1];
    const why = status?.message || (status?.waitingOn ? `waits for ${status.waitingOn}` : '');
    const row = painted(fit(line, columns), status, paint);
    return why === '' ? [row] : [row, painted(`  ${forTerminal(why)}`, status, paint)];
  });
}

function cellsOf(status: TargetStatus, now: number): string[] {
  return [
    status.namespace,
    `${status.kind}/${status.name}`,
    status.phase,
    status.step,
    status.updated,
    status.ready,
    cut(forTerminal(status.waitingOn), WIDEST),
    ageOf((status.plan ?? status.object)?.metadata.creationTimestamp, now),
    status.message,
  ].map((cell) => forTerminal(cell));
}

/** Lines whose cells begin below each other, so many blanks apart. */
function aligned(rows: readonly (readonly string[])[], apart: number): string[] {
  const last = (rows[0]?.length ?? 0) - 1;
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => (at === last ? cell : cell.padEnd((widths[at] ?? 0) + apart)))
      .join('')
      .trimEnd(),
  );
}

/** The line of a target, else that of the heads. */
function painted(text: string, status: TargetStatus | undefined, paint: Paint): string {
  const style = status === undefined ? 'bold' : styleOf(status.verdict, status.phase);
  return style === undefined ? text : paint(style, text);
}

/** Red is for what failed, yellow for what waits for a person; color says nothing that the words do not. */
export function styleOf(verdict: TargetStatus['verdict'], phase: string): Style | undefined {
  if (verdict === 'failed') return 'red';
  if (verdict === 'held' || phase === 'AwaitingApproval') return 'yellow';
  return undefined;
}

/** As much of a line as the screen has columns for. */
export function fit(text: string, columns: number | undefined): string {
  return columns === undefined ? text : cut(text, Math.max(1, columns - 1));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

/** The time since then in one or two units, as kubectl writes it: `45s`, `3m`, `5h`, `12d`. */
export function ageOf(since: string | undefined, now: number): string {
  const at = Date.parse(since ?? '');
  if (Number.isNaN(at)) return '';
  return spanOf(now - at);
}

/** The time until then, likewise. */
export function leftOf(until: string, now: number): string {
  const at = Date.parse(until);
  return Number.isNaN(at) ? '' : spanOf(at - now);
}

function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
