import { exampleTarget, kindNamesText } from './kind-names.ts';
import type { Verb } from '../rollout/actions.ts';
import type { Command, Option } from './command.ts';
import { clusterOptions } from '../cluster/options.ts';

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

/** Of commands that say what follows before they are sent. */
const yes = {
  yes: { type: 'boolean', short: 'y', help: 'send it without asking; needed where nobody can be asked' },
} as const satisfies Readonly<Record<string, Option>>;

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
      by: { type: 'string', value: 'WHO', help: 'who says it; default: you, as the cluster knows you' },
      reason: { type: 'string', value: 'TEXT', help: 'why, in one line' },
      expires: {
        type: 'string',
        value: 'TIME',
        help: 'when it ceases to count, such as 2h or 2026-12-01T18:00:00Z',
      },
      out: { ...out, help: 'where plans are kept, below the working directory' },
      ...clusterOptions,
      timeout: {
        type: 'string',
        value: 'TIME',
        default: '30s',
        help: 'how long the answer is waited for, such as 90s or 5m',
      },
      'no-wait': { type: 'boolean', help: 'send it, and do not wait for the answer' },
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        choices: ['yaml', 'json'],
        help: 'print the object as yaml or json, and send nothing',
      },
    },
    notes: [
      ...about,
      'TARGET is NAMESPACE/KIND/NAME, KIND/NAME or NAME. Its plan is the one committed here, else the one in the cluster.',
      'The command is sent, and the answer of the runtime is printed. Exit codes: 0 accepted, 1 refused or no answer.',
      `For git, or to send it otherwise: kruise ${verb} ${exampleTarget()}${needed} -o yaml`,
    ],
    load: async () => (await import('../rollout/rollout.ts')).runRollout(verb),
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
      'The plan goes to standard output; warnings and errors come before it, on standard error.',
      'Exit codes: 0 done, 1 error, 2 changes (--detailed-exitcode), 20 with CI set and files that would change.',
    ],
    load: async () => (await import('../plan/plan.ts')).runPlan,
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
    load: async () => (await import('../validate/validate.ts')).runValidate,
  },
  explain: {
    group: 'Plan',
    summary: 'Say what a diagnostic means and what to do',
    operands: 'CODE',
    options: {},
    load: async () => (await import('../explain/explain.ts')).runExplain,
  },
  run: {
    group: 'Run',
    summary: `Carry out ${kindNamesText()} and their plans in a cluster`,
    operands: '',
    options: {
      kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster; in a pod, its own is the default' },
      context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
      namespace: { type: 'string', short: 'n', value: 'NAME', help: 'look after this namespace only' },
      policy: {
        type: 'string',
        value: 'POLICY',
        choices: ['Required', 'Auto'],
        help: 'what holds where neither object nor namespace says (default: Required; with --adopt or --shadow, Auto)',
      },
      adopt: {
        type: 'boolean',
        help: `take over pods that another controller made, OpenKruise for one; without it such ${kindNamesText()} are held`,
      },
      shadow: {
        type: 'boolean',
        help: 'write nothing: look on beside OpenKruise, and tell where it does something else',
      },
      'allow-break-glass': {
        type: 'string',
        value: 'WHEN',
        default: 'policy',
        choices: ['policy', 'always', 'never'],
        help: 'when BreakGlass is obeyed; policy: where the policies of deploy/ ensure who sends it',
      },
      'max-running': {
        type: 'string',
        value: 'N',
        default: '10',
        help: 'how many plans may move pods at once',
      },
      config: {
        type: 'string',
        value: 'FILE',
        help: 'the configuration, with the checks that plans may name',
      },
      'no-leader-election': { type: 'boolean', help: 'work at once: nobody else does' },
      'lease-namespace': {
        type: 'string',
        value: 'NAME',
        help: "where the Lease is that decides who leads (default: the pod's or the context's namespace, else the one it looks after)",
      },
      port: {
        type: 'string',
        value: 'N',
        default: '8080',
        help: 'where /livez, /readyz and /metrics are; 0: nowhere',
      },
      address: {
        type: 'string',
        value: 'ADDRESS',
        help: 'the address they are at (default: 0.0.0.0 in a pod, else 127.0.0.1)',
      },
      log: {
        type: 'string',
        value: 'FORMAT',
        choices: ['json', 'text'],
        help: 'json or text (default: text on a terminal, else json)',
      },
    },
    notes: [
      'It runs until SIGTERM or Ctrl-C, then ends within five seconds; what was under way goes on at the next start.',
      'Exit codes: 0 after a signal, 1 for what trying again does not help.',
    ],
    load: async () => (await import('../run/run.ts')).runRuntime,
  },
  status: {
    group: 'Speak to a roll-out',
    summary: 'Show where roll-outs stand',
    operands: '[TARGET]',
    options: {
      'all-namespaces': { type: 'boolean', short: 'A', help: 'of all namespaces' },
      namespace: { type: 'string', short: 'n', value: 'NAME', help: "of this one (default: the context's)" },
      watch: {
        type: 'boolean',
        short: 'w',
        help: 'go on showing it; with TARGET until its roll-out has ended',
      },
      timeout: { type: 'string', value: 'TIME', help: 'end -w after this time, such as 90s or 10m' },
      digest: { type: 'string', value: 'HASH', help: 'of TARGET: only what this plan came to ends -w' },
      ...clusterOptions,
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'human',
        choices: ['human', 'json', 'yaml'],
        help: 'human, json or yaml',
      },
    },
    notes: [
      'TARGET is NAMESPACE/KIND/NAME, KIND/NAME or NAME: its plan, steps, pods and Events. Without it, a line for each target.',
      'Exit codes: 0 nothing has failed (-w TARGET: done), 1 error, 3 a roll-out has failed, 4 not ended within --timeout,',
      '5 held without a plan (-w TARGET).',
    ],
    load: async () => (await import('../status/status.ts')).runStatus,
  },
  approve: rollout('approve', 'Let a roll-out go on that waits for a person', [], {
    step: {
      type: 'string',
      value: 'ID',
      help: 'the approval that is given; needed where the plan has several',
    },
  }),
  pause: rollout('pause', 'Hold a roll-out where it is', ['No further pod is taken until it is resumed.']),
  resume: rollout(
    'resume',
    'Let a paused or failed roll-out go on',
    ['One that was aborted or reverted starts again at its step 1: that is asked about first.'],
    yes,
  ),
  abort: rollout('abort', 'End a roll-out where it is', ['Pods stay as they are.']),
  revert: rollout('revert', 'Take the pods of a roll-out back', [
    'They go to the revision that the target was last complete on.',
  ]),
  'break-glass': rollout(
    'break-glass',
    'Let a target follow its own strategy, whatever its plans say',
    [
      'Every plan of the target is suspended until --expires, which is needed, and at most seven days ahead.',
      'How many pods follow is said, and asked about, first.',
    ],
    yes,
  ),
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
      'max-running': {
        type: 'string',
        value: 'N',
        default: '10',
        help: 'how many plans may move pods at once',
      },
      'no-runtime': {
        type: 'boolean',
        help: `the API server and the nodes only: nothing carries out ${kindNamesText()}`,
      },
      quiet: { type: 'boolean', short: 'q', help: 'do not tell what the runtime does' },
    },
    notes: [
      'It runs until Ctrl-C. What it prints first is what to type next.',
      'Without --state everything is forgotten at the end.',
    ],
    load: async () => (await import('../sandbox/sandbox.ts')).runSandbox,
  },
  kubelet: {
    group: 'Try',
    summary: 'Play nodes, kubelets and scheduler for an API server that has none',
    operands: '',
    options: {
      kubeconfig: { type: 'string', value: 'FILE', help: 'the API server' },
      context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
      nodes: { type: 'string', value: 'N', default: '3', help: 'how many nodes there are' },
      'node-prefix': {
        type: 'string',
        value: 'NAME',
        default: 'node',
        help: 'what they are called: NAME-1, NAME-2, …',
      },
      'pull-time': {
        type: 'string',
        value: 'TIME',
        default: '2s',
        help: 'how long a node takes to pull an image, such as 500ms or 1m',
      },
      'ready-time': {
        type: 'string',
        value: 'TIME',
        default: '1s',
        help: 'how long a container takes from its start to being ready',
      },
      'no-scheduler': { type: 'boolean', help: 'give no pod its node: the server has a scheduler' },
      'no-events': { type: 'boolean', help: 'write no Events' },
      'beside-machines': {
        type: 'boolean',
        help: 'start though there are machines, or nodes of other programs',
      },
      cleanup: { type: 'boolean', help: 'take the nodes away at the end' },
    },
    notes: [
      'No container runs: an image takes its time to be pulled, starts and gets ready, or not, by its tag.',
      'It runs until Ctrl-C. Nodes and pods stay, and the next start goes on with them.',
    ],
    load: async () => (await import('../kubelet/kubelet.ts')).runKubelet,
  },
};
