import type { Refusal } from './refusal.ts';
import type { Options } from './command.ts';

/** Reads options one by one and collects everything that is wrong with them. */
export interface OptionReader {
  readonly refusals: Refusal[];
  refuse(problem: string, help: string): void;
  /** The text of an option; undefined if it was not given. Refuses an empty one. */
  text(name: string): string | undefined;
}

export function createOptionReader(options: Options): OptionReader {
  const refusals: Refusal[] = [];
  const refuse = (problem: string, help: string): void => void refusals.push({ problem, help });
  return {
    refusals,
    refuse,
    text(name) {
      const value = options[name];
      if (typeof value !== 'string') return undefined;
      if (value.trim() === '') refuse(`--${name} is empty`, 'set a value, or omit the option');
      return value;
    },
  };
}
