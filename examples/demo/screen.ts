import { stripVTControlCharacters, styleText } from 'node:util';
import { isReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Claim } from './proof.ts';
import { imageId, restarts } from './proof.ts';

/** The demo's output. On a terminal a table of pods is redrawn in place; in a pipe only lines are printed. */
export interface Screen {
  heading(text: string): void;
  text(text: string): void;
  /** A line of the event log, with the seconds since the demo began. */
  event(seconds: number, text: string): void;
  /** Redraws the table of pods below the log; only on a terminal. */
  live(pods: readonly Pod[]): void;
  /** Stops redrawing and leaves the last table on the screen. */
  settle(): void;
  claims(claims: readonly Claim[]): void;
}

export interface ScreenOptions {
  write(text: string): void;
  tty: boolean;
  color: boolean;
  /** The current width of the terminal: a wrapped row could not be redrawn in place. */
  columns(): number;
}

export function createScreen({ write, tty, color, columns }: ScreenOptions): Screen {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    color ? styleText(style, text) : text;
  let drawn = 0;

  function erase(): void {
    if (drawn > 0) write(`\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  }

  function line(text: string): void {
    erase();
    write(`${text}\n`);
  }

  return {
    heading: (text) => line(`\n${paint('bold', text)}\n`),
    text: line,
    event: (seconds, text) => line(`${paint('dim', `${seconds.toFixed(1).padStart(6)}s`)}  ${text}`),
    live(pods) {
      if (!tty) return;
      erase();
      const rows = podTable(pods).map((row) => row.slice(0, columns() - 1));
      write(`${rows.map((row) => paint('cyan', row)).join('\n')}\n`);
      drawn = rows.length;
    },
    settle() {
      drawn = 0;
    },
    claims(claims) {
      const width = Math.max(...claims.map(({ claim }) => claim.length));
      for (const { claim, holds, observed } of claims) {
        const mark = holds ? paint('green', 'holds') : paint('red', 'FAILS');
        line(`  ${mark}  ${claim.padEnd(width)}  ${paint('dim', observed)}`);
      }
    },
  };
}

/** Aligned rows with a heading. */
export function podTable(pods: readonly Pod[]): string[] {
  const heading = ['POD', 'UID', 'IP', 'IMAGE', 'IMAGE ID', 'RESTARTS', 'READY'];
  const rows = pods.map((pod) => [
    pod.metadata.name,
    (pod.metadata.uid ?? '').slice(0, 8),
    pod.status?.podIP ?? '-',
    pod.status?.containerStatuses?.[0]?.image ?? '-',
    (imageId(pod) ?? '-').replace(/^.*sha256:/, '').slice(0, 12) || '-',
    String(restarts(pod)),
    isReady(pod) ? 'yes' : 'no',
  ]);
  const all = [heading, ...rows];
  const widths = heading.map((_, i) =>
    Math.max(...all.map((row) => stripVTControlCharacters(row[i] ?? '').length)),
  );
  return all.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd());
}
