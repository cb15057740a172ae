import { forTerminal } from '../text/escape.ts';
import type { Paint, Style } from '../text/paint.ts';
import type { TargetStatus } from './status-read.ts';

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

/** Every target in a line, with the words of `kubectl get rolloutplans`. */
export function statusTable(statuses: readonly TargetStatus[], drawing: Drawing): string[] {
  const rows = statuses.map((status) => [
    status.namespace,
    `${status.kind}/${status.name}`,
    status.phase,
    status.step,
    status.updated,
    status.ready,
    cut(forTerminal(status.waitingOn), WIDEST),
    ageOf((status.plan ?? status.object)?.metadata.creationTimestamp, drawing.now),
    status.message,
  ]);
  const texts = [[...HEAD], ...rows].map((row) => row.map((cell) => forTerminal(cell)));
  const widths = HEAD.map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)));
  return texts.map((row, line) => {
    const cells = row.map((cell, at) => (at === HEAD.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
    const text = fit(cells.join('   ').trimEnd(), drawing.columns);
    const status = statuses[line - 1];
    return status === undefined ? drawing.paint('bold', text) : painted(text, status, drawing.paint);
  });
}

function painted(text: string, { verdict, phase }: TargetStatus, paint: Paint): string {
  const style = styleOf(verdict, phase);
  return style === undefined ? text : paint(style, text);
}

/** Red is for what failed, yellow for what waits for a person; colour says nothing that the words do not. */
export function styleOf(verdict: TargetStatus['verdict'], phase: string): Style | undefined {
  if (verdict === 'failed') return 'red';
  if (phase === 'AwaitingApproval') return 'yellow';
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
