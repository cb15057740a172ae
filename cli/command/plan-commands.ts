import type { Command, Option } from './command.ts';

/** The option of commands that read the committed plans. */
export const out = {
  type: 'string',
  value: 'DIR',
  default: 'plans',
  help: 'the folder of plans, below the root',
} as const satisfies Option;
export const humanOrJson = {
  type: 'string',
  short: 'o',
  value: 'FORMAT',
  default: 'human',
  choices: ['human', 'json'],
  help: 'human or json',
} as const satisfies Option;
const notes = [
  'The root is the folder given if there is only one PATH, else the working directory. kruise.yaml is read from the root',
  'or the nearest folder above it, up to the git root.',
];
const allowRender = {
  type: 'boolean',
  help: 'run the commands that render the roots of kruise.yaml: they can do whatever you can',
} as const;
const budget = {
  type: 'string',
  value: 'PERCENT',
  help: 'read up to this percentage of the limits of a run, such as 200 (default: 100, or less by kruise.yaml)',
} as const;
const strict = { type: 'boolean', help: 'treat placeholders and unknown pod fields as errors' } as const;

/**
 * The commands that read only files. They have a program of their own, which loads nothing of the other commands, so the
 * definitions leave out how to load their code.
 */
export const planCommands = {
  plan: {
    group: 'Plan changes',
    summary: 'Compare two states of git and write a plan for each changed workload',
    operands: '[PATH…]',
    options: {
      filename: {
        type: 'string',
        short: 'f',
        value: 'FILE',
        repeated: true,
        help: 'plan this file or folder; - is standard input, such as the output of kustomize or helm',
      },
      'base-file': {
        type: 'string',
        value: 'FILE',
        help: 'compare with the manifests in this file; plans at base come from --base or --base-dir',
      },
      base: {
        type: 'string',
        value: 'REF',
        help: 'compare with the merge base of REF (default: the target branch in CI, else the default branch)',
      },
      'base-dir': { type: 'string', value: 'DIR', help: 'compare with the state in a folder, without git' },
      head: {
        type: 'string',
        value: 'REF',
        help: 'plan a commit instead of the working tree; write nothing',
      },
      staged: { type: 'boolean', help: 'plan what is staged instead of the working tree' },
      out,
      'allow-render': allowRender,
      budget,
      strict,
      again: {
        type: 'boolean',
        help: 'also plan unchanged targets that have a plan at base, such as one that failed',
      },
      continue: {
        type: 'boolean',
        help: 'also continue plans at base with the limits that manifests and kruise.yaml have now',
      },
      target: {
        type: 'string',
        value: 'KIND/NAME',
        help: 'repeat or continue only the plan of this target; with --again or --continue',
      },
      'going-back': {
        type: 'string',
        value: 'LIMIT',
        help: 'plan a revert with this many pods at a time, such as 3 or 25%',
      },
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'human',
        choices: ['human', 'json', 'yaml', 'markdown', 'html'],
        help: 'human, json, yaml, markdown or html',
      },
      check: {
        type: 'boolean',
        help: 'compare the committed plans with those of the change, and write nothing (default if CI is set)',
      },
      'dry-run': { type: 'boolean', help: 'list the files that would be written, and write nothing' },
      'detailed-exitcode': { type: 'boolean', help: 'exit with code 2 if there are changes' },
    },
    notes: [
      ...notes,
      'With - or --base-file the root is the working directory, and plans go to plans/ there as well.',
      'The plan is printed to standard output, warnings and errors to standard error.',
      'Only the output human writes plans; the others print alone.',
      'Exit codes: 0 done, 1 error, 2 changes (with --detailed-exitcode). Those of --check besides: 20 plans are missing,',
      'out of date, obsolete or misplaced; 21 plans were edited, are invalid or are two of one target; 22 plans were made',
      'against another base; 23 the change is refused, because it could never progress or by --strict.',
    ],
  },
  validate: {
    group: 'Plan changes',
    summary: 'Check manifests, kruise.yaml and committed plans of one state',
    operands: '[PATH…|-]',
    options: {
      out,
      'allow-render': allowRender,
      budget,
      strict,
      output: humanOrJson,
    },
    notes: [
      ...notes,
      'A PATH elsewhere is checked with the kruise.yaml of its own repository; - is standard input.',
    ],
  },
} as const satisfies Readonly<Record<string, Omit<Command, 'load'>>>;
