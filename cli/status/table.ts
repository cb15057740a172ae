import { forTerminal } from '../../compiler/text/escape.ts';
import type { Paint, Style } from '../../compiler/text/paint.ts';
import type { TargetStatus } from './read.ts';

/** How to render a status. */
export interface Drawing {
  paint: Paint;
  /** Milliseconds since 1970, for ages. */
  now: number;
  /** The width of the terminal; undefined: unlimited. */
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
/** What is waited for may be a whole sentence, which MESSAGE contains. */
const WIDEST = 32;

/** The columns that move below the line of a target on a narrow terminal. */
const BELOW: ReadonlySet<string> = new Set(['WAITING-ON', 'MESSAGE']);

/**
 * A line per target, with the columns of `kubectl get rolloutplans` and the age of the target: its plan is replaced with every change. If the terminal is too narrow, puts what a target
 * waits for below its line. That text is never cut, because it may contain a command to copy.
 */
export function statusTable(statuses: readonly TargetStatus[], drawing: Drawing): string[] {
  const { columns, paint } = drawing;
  const texts = [[...HEAD], ...statuses.map((status) => cellsOf(status, drawing.now))];
  const wide = aligned(texts, 3);
  if (columns === undefined || wide.every((line) => line.length < columns))
    return wide.map((line, at) => painted(line, statuses[at - 1], paint));
  const narrow = texts.map((cells) => cells.filter((_, at) => !BELOW.has(HEAD[at] ?? '')));
  return aligned(narrow, 2).flatMap((line, at) => {
    const status = statuses[at - 1];
    const why = status === undefined ? '' : textOf(status, drawing.now);
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
    ageOf((status.object ?? status.plan)?.metadata.creationTimestamp, now),
    status.message === '' ? '' : textOf(status, now),
  ].map((cell) => forTerminal(cell));
}

/** The message of a target, or what it waits for, and when the step in progress fails. */
function textOf({ message, waitingOn, deadline }: TargetStatus, now: number): string {
  const why = message || (waitingOn === '' ? '' : `waits for ${waitingOn}`);
  return why === '' || deadline === '' ? why : `${why}; fails in ${remainingTime(deadline, now)}`;
}

/** Aligns columns, with so many blanks between them. */
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

/** Colors the line of a target, or the header. */
function painted(text: string, status: TargetStatus | undefined, paint: Paint): string {
  const style = status === undefined ? 'bold' : styleOf(status.verdict, status.phase);
  return style === undefined ? text : paint(style, text);
}

/** Red: failed; yellow: waits for a user. The text alone has the same information. */
export function styleOf(verdict: TargetStatus['verdict'], phase: string): Style | undefined {
  if (verdict === 'failed') return 'red';
  if (verdict === 'held' || phase === 'AwaitingApproval') return 'yellow';
  return undefined;
}

/** Cuts a line to the width of the terminal. */
export function fit(text: string, columns: number | undefined): string {
  return columns === undefined ? text : cut(text, Math.max(1, columns - 1));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

/** The time since then in the largest fitting unit, as kubectl writes it: `45s`, `3m`, `5h`, `12d`. */
export function ageOf(since: string | undefined, now: number): string {
  const at = Date.parse(since ?? '');
  if (Number.isNaN(at)) return '';
  return spanOf(now - at);
}

/** The time until then, in the same form. */
export function remainingTime(until: string, now: number): string {
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
