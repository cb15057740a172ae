import type { Host } from '../host.ts';

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  default?: string;
  /** The placeholder of the value in the help. */
  value?: string;
  /** The accepted values. */
  choices?: readonly string[];
  /** The option may be repeated; its value is the list of all values. */
  repeated?: true;
  help: string;
}

/** One command of the command line. Its code is loaded only when it runs, so that other commands start fast. */
export interface Command {
  /** The heading under which the main help lists the command. */
  group: 'Plan changes' | 'Run the controller' | 'Observe and control rollouts' | 'Try it out';
  summary: string;
  /** The operands in the usage line: `[PATH…]`. */
  operands: string;
  options: Readonly<Record<string, Option>>;
  /** Lines of the help below the options. */
  notes?: readonly string[];
  load: () => Promise<Run>;
}

/** Commands by name. */
export type Commands = Readonly<Record<string, Command>>;

/** Runs a command and returns the exit code. */
export type Run = (host: Host, operands: readonly string[], options: Options) => number | Promise<number>;

/**
 * Exit codes of all commands. `failed`, `undecided` and `held` are those of `kruise status`, 20 to 23 those of
 * `kruise plan --check`.
 */
export const exitCode = {
  done: 0,
  error: 1,
  changes: 2,
  failed: 3,
  undecided: 4,
  held: 5,
  differs: 20,
  integrity: 21,
  stale: 22,
  refused: 23,
  interrupted: 130,
} as const;
