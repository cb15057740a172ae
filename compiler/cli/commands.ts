import type { Command } from './command.ts';

const strict = { type: 'boolean', help: 'treat placeholders and unknown pod fields as errors' } as const;

/** Every command, by name. A new one is one entry here and one file beside. */
export const commands: Readonly<Record<string, Command>> = {
  plan: {
    summary: 'Compare two git states and write the step plans of what changed',
    operands: '[PATH…]',
    options: {
      'base-dir': { type: 'string', value: 'DIR', help: 'the folder that holds the state to compare with' },
      out: { type: 'string', value: 'DIR', default: 'plans', help: 'where plans are kept in both states' },
      strict,
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'human',
        choices: ['human', 'json', 'yaml', 'markdown'],
        help: 'human, json, yaml or markdown',
      },
      'detailed-exitcode': { type: 'boolean', help: 'exit with 2 when there are changes' },
    },
    load: async () => (await import('./plan.ts')).runPlan,
  },
  validate: {
    summary: 'Check manifests without comparing them to anything',
    operands: '[PATH…]',
    options: {
      strict,
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'human',
        choices: ['human', 'json'],
        help: 'human or json',
      },
    },
    load: async () => (await import('./validate.ts')).runValidate,
  },
  explain: {
    summary: 'Say what a diagnostic means and what to do',
    operands: 'CODE',
    options: {},
    load: async () => (await import('./explain.ts')).runExplain,
  },
};
