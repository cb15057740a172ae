import type { Host } from '../host.ts';

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  default?: string;
  /** What stands for the value in the help. */
  value?: string;
  /** The only values that are accepted. */
  choices?: readonly string[];
  /** May be given more than once; its value is the list of all of them. */
  repeated?: true;
  help: string;
}

/** One command of the command line. Its code is loaded when it runs, so that the others stay fast. */
export interface Command {
  /** The heading of the main help that it stands under. */
  group: 'Plan' | 'Run' | 'Speak to a roll-out' | 'Try';
  summary: string;
  /** What follows the name: `[PATH…]`. */
  operands: string;
  options: Readonly<Record<string, Option>>;
  /** What the page of help says below the options. */
  notes?: readonly string[];
  load: () => Promise<Run>;
}

/** Runs a command and gives the exit code. */
export type Run = (host: Host, operands: readonly string[], options: Options) => number | Promise<number>;

/** Exit codes that every command shares. Of a status: a roll-out has failed, has not ended in time, or cannot begin. */
export const exitCode = {
  done: 0,
  error: 1,
  changes: 2,
  failed: 3,
  undecided: 4,
  held: 5,
  differs: 20,
  interrupted: 130,
} as const;
