import { isFields } from '../../schemas/pods/fields.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import type { ImageBehavior } from './images.ts';

/** The annotation of a pod that says what its containers do, by container. */
export const scriptAnnotation = 'sandbox/containers';

/** What one container does, whatever its image does. */
export interface Script extends ImageBehavior {
  /** What it prints at each start. */
  log: readonly string[];
  /** What commands in it do, by their words with a blank between two. */
  exec: ReadonlyMap<string, CommandScript>;
}

/** What a command in a container prints, and how it exits. */
export interface CommandScript {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export type Scripts = { byContainer: ReadonlyMap<string, Script> } | { fault: string };

const numbers = [
  'runSeconds',
  'crashAfterSeconds',
  'readyAfterSeconds',
  'exitCode',
  'postStartSeconds',
  'postStartExitCode',
  'preStopSeconds',
  'preStopExitCode',
] as const;

function readCommands(name: string, fields: unknown): Map<string, CommandScript> | string {
  if (!isFields(fields)) return `${name}.exec is no object`;
  const commands = new Map<string, CommandScript>();
  for (const [command, given] of Object.entries(fields)) {
    const parts: unknown = typeof given === 'string' ? { stdout: given } : given;
    const { stdout = '', stderr = '', exitCode = 0, ...others } = isFields(parts) ? parts : { fault: true };
    const isRight =
      typeof stdout === 'string' &&
      typeof stderr === 'string' &&
      typeof exitCode === 'number' &&
      Number.isInteger(exitCode) &&
      Object.keys(others).length === 0;
    if (!isRight) return `${name}.exec["${command}"] is neither a text nor {stdout, stderr, exitCode}`;
    commands.set(command, { stdout, stderr, exitCode });
  }
  return commands;
}

function readScript(name: string, fields: unknown): Script | string {
  if (!isFields(fields)) return `${name} is no object`;
  const given: Partial<Record<(typeof numbers)[number], number>> = {};
  let log: readonly string[] = [];
  let exec: ReadonlyMap<string, CommandScript> = new Map();
  let keepsRunning = false;
  for (const [key, value] of Object.entries(fields)) {
    const known = numbers.find((each) => each === key);
    if (key === 'log' && Array.isArray(value) && value.every((line) => typeof line === 'string')) log = value;
    else if (key === 'exec') {
      const commands = readCommands(name, value);
      if (typeof commands === 'string') return commands;
      exec = commands;
    } else if (key === 'keepsRunning' && typeof value === 'boolean') keepsRunning = value;
    else if (key === 'keepsRunning') return `${name}.keepsRunning is neither true nor false`;
    else if (key === 'log') return `${name}.log is no list of strings`;
    else if (known === undefined) return `${name} has the unknown field ${key}`;
    else if (typeof value !== 'number' || !(value >= 0)) return `${name}.${key} is no positive number`;
    else given[known] = value;
  }
  const { runSeconds, crashAfterSeconds, readyAfterSeconds, exitCode, ...hooks } = given;
  const { postStartSeconds, postStartExitCode, preStopSeconds, preStopExitCode } = hooks;
  return {
    log,
    exec,
    ...(keepsRunning && { keepsRunning }),
    ...(runSeconds === undefined ? {} : { exitAfterMs: runSeconds * 1000 }),
    ...(crashAfterSeconds === undefined ? {} : { crashAfterMs: crashAfterSeconds * 1000 }),
    ...(readyAfterSeconds === undefined ? {} : { readyMs: readyAfterSeconds * 1000 }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(postStartSeconds === undefined ? {} : { postStartMs: postStartSeconds * 1000 }),
    ...(postStartExitCode === undefined ? {} : { postStartFails: postStartExitCode !== 0 }),
    ...(preStopSeconds === undefined ? {} : { preStopMs: preStopSeconds * 1000 }),
    ...(preStopExitCode === undefined ? {} : { preStopFails: preStopExitCode !== 0 }),
  };
}

function parse(text: string): Scripts {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
  if (!isFields(value)) return { fault: 'it is no object' };
  const byContainer = new Map<string, Script>();
  for (const [name, fields] of Object.entries(value)) {
    const script = readScript(name, fields);
    if (typeof script === 'string') return { fault: script };
    byContainer.set(name, script);
  }
  return { byContainer };
}

const none: Scripts = { byContainer: new Map() };
const remembered = new Map<string, Scripts>();
const most = 1000;

/** What the annotation of a pod says, or why it says nothing. */
export function scriptsOf({ metadata }: Pod): Scripts {
  const text = metadata.annotations?.[scriptAnnotation];
  if (text === undefined) return none;
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= most) remembered.clear();
  const read = parse(text);
  remembered.set(text, read);
  return read;
}

/** What one container of a pod does, if its pod says so. */
export function scriptOf(pod: Pod, container: string): Script | undefined {
  const scripts = scriptsOf(pod);
  return 'fault' in scripts ? undefined : scripts.byContainer.get(container);
}
