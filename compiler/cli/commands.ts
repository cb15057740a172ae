import type { Command } from './command.ts';

const out = {
  type: 'string',
  value: 'DIR',
  default: 'plans',
  help: 'where plans are kept, below the root',
} as const;
const notes = [
  'The root is the one folder given, else the working directory. kruise.yaml is taken from the root',
  'or the nearest folder above it, up to the git root.',
];
const strict = { type: 'boolean', help: 'treat placeholders and unknown pod fields as errors' } as const;

/** Every command, by name. A new one is one entry here and one file beside. */
export const commands: Readonly<Record<string, Command>> = {
  plan: {
    summary: 'Compare two git states and write the step plans of what changed',
    operands: '[PATH…]',
    options: {
      'base-dir': { type: 'string', value: 'DIR', help: 'the folder that holds the state to compare with' },
      out,
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
    notes: [
      ...notes,
      'Exit codes: 0 done, 1 error, 2 changes (--detailed-exitcode), 20 with CI set and files that would change.',
    ],
    load: async () => (await import('./plan.ts')).runPlan,
  },
  validate: {
    summary: 'Check manifests without comparing them to anything',
    operands: '[PATH…]',
    options: {
      out,
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
    notes,
    load: async () => (await import('./validate.ts')).runValidate,
  },
  explain: {
    summary: 'Say what a diagnostic means and what to do',
    operands: 'CODE',
    options: {},
    load: async () => (await import('./explain.ts')).runExplain,
  },
};
