import type { Clock } from '../../schemas/wire/clock.ts';
import { jsonText, visibleText } from '../../semantics/values/unsafe-text.ts';

export type Level = 'info' | 'warn' | 'error';

/** The fields of a log line. Names, verbs and messages only: the content of objects is never logged. */
export interface LogFields {
  /** `Kind/namespace/name`. */
  target?: string | undefined;
  /** The digest of the plan. */
  plan?: string | undefined;
  /** The id of its step. */
  step?: string | undefined;
  [field: string]: string | number | boolean | readonly string[] | undefined;
}

export interface Log {
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** Receives one line, with its line feed. */
  write(line: string): void;
  clock: Clock;
  /** `text` is for a terminal. */
  format: 'json' | 'text';
}

/** Longer messages are cut, characters. */
const MOST_LENGTH = 2_000;

/** Writes each entry on one line without control characters: names and messages come from outside. */
export function createLog({ write, clock, format }: LogOptions): Log {
  const line = (level: Level, msg: string, fields: LogFields): string => {
    const time = new Date(clock.now()).toISOString();
    return format === 'json' ? jsonLine(time, level, msg, fields) : textLine(time, level, msg, fields);
  };
  const at =
    (level: Level) =>
    (msg: string, fields: LogFields = {}): void =>
      write(line(level, msg, fields));
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function jsonLine(time: string, level: Level, msg: string, fields: LogFields): string {
  const { plan, step, target, ...more } = fields;
  return `${jsonText({ time, level, msg: shorten(msg), plan, step, target, ...more })}\n`;
}

function textLine(time: string, level: Level, msg: string, fields: LogFields): string {
  const { target, step, plan, ...more } = fields;
  const about = [
    target?.split('/').slice(1).join('/'),
    step === undefined ? undefined : `step ${step}`,
    plan === undefined ? undefined : `plan ${plan.slice(0, 11)}`,
    ...Object.entries(more)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`),
  ].filter((part) => part !== undefined);
  const mark = { info: '', warn: 'warning: ', error: 'error: ' }[level];
  const text = `${time.slice(11, 19)}  ${mark}${msg}${about.length === 0 ? '' : `  (${about.join(', ')})`}`;
  return `${visibleText(shorten(text))}\n`;
}

function shorten(text: string): string {
  return text.length <= MOST_LENGTH ? text : `${text.slice(0, MOST_LENGTH)}…`;
}
