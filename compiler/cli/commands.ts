import type { Verb } from '../command/verbs.ts';
import type { Command, Option } from './command.ts';

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

/** What each of the commands to a roll-out takes; `own` are the options that only this one has. */
function rollout(
  verb: Verb,
  summary: string,
  about: readonly string[],
  own: Readonly<Record<string, Option>> = {},
): Command {
  const needed = verb === 'break-glass' ? ' --expires TIME' : '';
  return {
    group: 'Speak to a roll-out',
    summary,
    operands: 'TARGET',
    options: {
      namespace: { type: 'string', short: 'n', value: 'NAME', help: 'the namespace of the target' },
      ...own,
      digest: { type: 'string', value: 'HASH', help: 'the plan that is meant, instead of the committed one' },
      by: { type: 'string', value: 'WHO', help: 'who says it' },
      reason: { type: 'string', value: 'TEXT', help: 'why, in one line' },
      expires: {
        type: 'string',
        value: 'TIME',
        help: 'when it ceases to count, such as 2026-12-01T18:00:00Z',
      },
      out: { ...out, help: 'where plans are kept, below the working directory' },
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        choices: ['yaml', 'json'],
        help: 'yaml or json',
      },
    },
    notes: [
      ...about,
      'TARGET is KIND/NAME, or NAME where one plan has it. Target and digest are taken from the committed plan.',
      `It prints a RolloutCommand: kruise ${verb} CloneSet/web${needed} | kubectl create -f -`,
    ],
    load: async () => (await import('./rollout.ts')).runRollout(verb),
  };
}

/** Every command, by name. A new one is one entry here and one file beside. */
export const commands: Readonly<Record<string, Command>> = {
  plan: {
    group: 'Plan',
    summary: 'Compare two git states and write the step plans of what changed',
    operands: '[PATH…]',
    options: {
      'base-dir': { type: 'string', value: 'DIR', help: 'the folder that holds the state to compare with' },
      out,
      strict,
      again: {
        type: 'boolean',
        help: 'plan once more what did not change: its roll-out has failed, or it had no plan',
      },
      target: { type: 'string', value: 'KIND/NAME', help: 'of all that, this one only; with --again' },
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
    group: 'Plan',
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
    group: 'Plan',
    summary: 'Say what a diagnostic means and what to do',
    operands: 'CODE',
    options: {},
    load: async () => (await import('./explain.ts')).runExplain,
  },
  approve: rollout('approve', 'Let a roll-out go on that waits for a person', [], {
    step: {
      type: 'string',
      value: 'ID',
      help: 'the approval that is given; needed where the plan has several',
    },
  }),
  pause: rollout('pause', 'Hold a roll-out where it is', ['No further pod is taken until it is resumed.']),
  resume: rollout('resume', 'Let a paused or failed roll-out go on', []),
  abort: rollout('abort', 'End a roll-out where it is', ['Pods stay as they are.']),
  revert: rollout('revert', 'Take the pods of a roll-out back', [
    'They go to the revision that the target was last complete on.',
  ]),
  'break-glass': rollout('break-glass', 'Let a target follow its own strategy, whatever its plans say', [
    'Every plan of the target is suspended until --expires, which is needed, and at most seven days ahead.',
  ]),
  sandbox: {
    group: 'Try',
    summary: 'Start a Kubernetes API server in memory, with nodes, for kubectl to talk to',
    operands: '',
    options: {
      port: { type: 'string', value: 'N', help: 'where it listens on 127.0.0.1 (default: a free port)' },
      tls: { type: 'boolean', help: 'serve HTTPS, with a certificate made for this run' },
      nodes: { type: 'string', value: 'N', help: 'how many nodes there are (default: 3)' },
      load: {
        type: 'string',
        value: 'PATH',
        repeated: true,
        help: 'apply the manifests of a file or folder at the start; may be repeated',
      },
      kubeconfig: {
        type: 'string',
        value: 'FILE',
        default: 'kruise-sandbox.kubeconfig',
        help: 'where to write the kubeconfig',
      },
      state: { type: 'string', value: 'FILE', help: 'keep everything in this file, and go on from there' },
      'pull-time': {
        type: 'string',
        value: 'TIME',
        default: '2s',
        help: 'how long a node takes to pull an image, such as 500ms or 1m',
      },
      speed: { type: 'string', value: 'X', default: '1', help: 'how fast time goes in it, 0.01 to 100' },
      'max-running': { type: 'string', value: 'N', default: '10', help: 'how many plans may run at once' },
      'no-runtime': {
        type: 'boolean',
        help: 'the API server and the nodes only: nothing carries out CloneSets',
      },
      quiet: { type: 'boolean', short: 'q', help: 'do not tell what the runtime does' },
    },
    notes: [
      'It runs until Ctrl-C. What it prints first is what to type next.',
      'Without --state everything is forgotten at the end.',
    ],
    load: async () => (await import('./sandbox.ts')).runSandbox,
  },
};
