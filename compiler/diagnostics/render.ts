import { forTerminal, shorten } from '../text/escape.ts';
import type { Paint } from '../text/paint.ts';
import type { Diagnostic, SourcePosition } from './diagnostic.ts';
import { lineText, positionOf } from './position.ts';
import { alsoAt } from './repeated.ts';
import { isSecretText } from './secret-text.ts';

const WIDTH = 100;
const LEAD = 30;
/** A command that is cut cannot be typed. */
const LONGEST_HELP = 2_000;

/**
 * A diagnostic as text: message, source position, code frame and, unless that is left out, help. Ends with a line break.
 *
 * @param others further diagnostics that say the same. Their places are given, without frames
 */
export function renderDiagnostic(
  found: Diagnostic,
  paint: Paint,
  { hasHelp = true, others = [] }: { hasHelp?: boolean; others?: readonly Diagnostic[] } = {},
): string {
  const color = found.severity === 'error' ? 'red' : 'yellow';
  const lines = [
    `${paint(color, `${found.severity}[${found.code}]`)}${paint('bold', `: ${forTerminal(shorten(found.message, 400))}`)}`,
  ];
  if (found.position !== undefined) lines.push(...frame(found.position, '', paint));
  for (const { message, position } of found.related)
    lines.push(...frame(position, forTerminal(message), paint));
  const places = others.flatMap(({ position }) => (position === undefined ? [] : [placeText(position)]));
  if (places.length > 0) lines.push(`  ${paint('dim', '-->')} ${alsoAt(places)}`);
  if (hasHelp) lines.push(`   ${paint('cyan', 'help:')} ${forTerminal(shorten(found.help, LONGEST_HELP))}`);
  return `${lines.join('\n')}\n`;
}

function placeText(range: SourcePosition): string {
  const { line, column } = positionOf(range);
  return `${forTerminal(range.source.file)}:${line}:${column}`;
}

function frame(range: SourcePosition, note: string, paint: Paint): string[] {
  const { line, column } = positionOf(range);
  const head = `  ${paint('dim', '-->')} ${placeText(range)}${note === '' ? '' : ` (${note})`}`;
  if (isSecretText(range)) return [head];
  const text = lineText(range);
  if (text.trim() === '') return [head];
  const cut = excerpt(
    text,
    column - 1,
    Math.max(1, Math.min(range.end, range.start + text.length) - range.start),
  );
  const gutter = String(line);
  const margin = ' '.repeat(gutter.length);
  return [
    head,
    paint('dim', ` ${margin} |`),
    `${paint('dim', ` ${gutter} |`)} ${cut.text}`,
    `${paint('dim', ` ${margin} |`)} ${' '.repeat(cut.lead)}${paint('bold', '^'.repeat(cut.length))}`,
  ];
}

/** The part of a line around a range, escaped for a terminal, with the columns of the range in it. */
function excerpt(text: string, from: number, length: number): { text: string; lead: number; length: number } {
  const start = text.length > WIDTH && from > WIDTH - LEAD ? from - LEAD : 0;
  const end = Math.min(text.length, start + WIDTH);
  const upTo = Math.max(from, Math.min(end, from + length));
  const before = (start > 0 ? '…' : '') + visible(text.slice(start, from));
  const marked = visible(text.slice(from, upTo));
  const after = visible(text.slice(upTo, end)) + (end < text.length ? '…' : '');
  return { text: before + marked + after, lead: before.length, length: Math.max(1, marked.length) };
}

function visible(text: string): string {
  return forTerminal(text.replaceAll('\t', '  '));
}

/** A diagnostic as JSON. Lines and columns count from 1. */
export function diagnosticJson(found: Diagnostic): object {
  return {
    code: found.code,
    severity: found.severity,
    message: found.message,
    help: found.help,
    ...(found.position === undefined ? {} : positionJson(found.position)),
    ...(found.related.length === 0
      ? {}
      : { related: found.related.map(({ message, position }) => ({ message, ...positionJson(position) })) }),
  };
}

function positionJson(range: SourcePosition): object {
  const { line, column } = positionOf(range);
  const end = positionOf({ ...range, start: Math.max(range.start, range.end) });
  return { file: range.source.file, line, column, endLine: end.line, endColumn: end.column };
}
