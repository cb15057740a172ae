import { exampleTarget, kindNamesText } from './kind-names.ts';
import type { Verb } from '../rollout/actions.ts';
import type { Command, Option } from './command.ts';
import { clusterOptions } from '../cluster/options.ts';

const out = {
  type: 'string',
  value: 'DIR',
  default: 'plans',
  help: 'the folder of plans, below the root',
} as const;
const notes = [
  'The root is the folder given if there is only one PATH, else the working directory. kruise.yaml is read from the root',
  'or the nearest folder above it, up to the git root.',
];
const strict = { type: 'boolean', help: 'treat placeholders and unknown pod fields as errors' } as const;

/** The option of commands that show their effect and ask for confirmation. */
const yes = {
  yes: { type: 'boolean', short: 'y', help: 'send it without confirmation; required without a terminal' },
} as const satisfies Readonly<Record<string, Option>>;

/** The definition of a rollout command; `own` are the options that only this one has. */
function rollout(
  verb: Verb,
  summary: string,
  about: readonly string[],
  own: Readonly<Record<string, Option>> = {},
): Command {
  const needed = verb === 'break-glass' ? ' --expires TIME' : '';
  return {
    group: 'Observe and control rollouts',
    summary,
    operands: 'TARGET',
    options: {
      namespace: { type: 'string', short: 'n', value: 'NAME', help: 'the namespace of the target' },
      ...own,
      digest: { type: 'string', value: 'HASH', help: 'the digest of the plan, instead of the committed one' },
      by: {
        type: 'string',
        value: 'WHO',
        help: 'who sends the command (default: your user name in the cluster)',
      },
      reason: { type: 'string', value: 'TEXT', help: 'the reason, in one line' },
      expires: {
        type: 'string',
        value: 'TIME',
        help: 'when the command expires, such as 2h or 2026-12-01T18:00:00Z',
      },
      out: { ...out, help: 'the folder of plans, below the working directory' },
      ...clusterOptions,
      timeout: {
        type: 'string',
        value: 'TIME',
        default: '30s',
        help: 'how long to wait for the answer, such as 90s or 5m',
      },
      'no-wait': { type: 'boolean', help: 'do not wait for the answer' },
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        choices: ['yaml', 'json'],
        help: 'print the object as yaml or json; send nothing',
      },
    },
    notes: [
      ...about,
      'TARGET is NAMESPACE/KIND/NAME, KIND/NAME or NAME. The plan is the one committed here, else the one in the cluster.',
      'The command prints the answer of the runtime. Exit codes: 0 accepted, 1 refused or no answer.',
      `To print the object, for git or kubectl: kruise ${verb} ${exampleTarget()}${needed} -o yaml`,
    ],
    load: async () => (await import('../rollout/rollout.ts')).runRollout(verb),
  };
}

/** Every command, by name. To add a command, add an entry here and a file for its code. */
export const commands: Readonly<Record<string, Command>> = {
  plan: {
    group: 'Plan changes',
    summary: 'Compare two states of git and write a plan for each changed workload',
    operands: '[PATH…]',
    options: {
      'base-dir': { type: 'string', value: 'DIR', help: 'the folder with the state to compare with' },
      out,
      strict,
      again: {
        type: 'boolean',
        help: 'also plan unchanged targets whose rollout failed, or that had no plan',
      },
      target: { type: 'string', value: 'KIND/NAME', help: 'plan only this target again; with --again' },
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'human',
        choices: ['human', 'json', 'yaml', 'markdown'],
        help: 'human, json, yaml or markdown',
      },
      'detailed-exitcode': { type: 'boolean', help: 'exit with code 2 if there are changes' },
    },
    notes: [
      ...notes,
      'The plan is printed to standard output, warnings and errors to standard error.',
      'Exit codes: 0 done, 1 error, 2 changes (with --detailed-exitcode), 20 committed plans are out of date (if CI is set).',
    ],
    load: async () => (await import('../plan/plan.ts')).runPlan,
  },
  validate: {
    group: 'Plan changes',
    summary: 'Check manifests, kruise.yaml and committed plans of one state',
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
    group: 'Plan changes',
    summary: 'Explain a diagnostic: what it means and what to do',
    operands: 'CODE',
    options: {},
    load: async () => (await import('../explain/explain.ts')).runExplain,
  },
  run: {
    group: 'Run the controller',
    summary: `Run the controller for ${kindNamesText()} and their plans`,
    operands: '',
    options: {
      kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster (default in a pod: its own cluster)' },
      context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
      namespace: { type: 'string', short: 'n', value: 'NAME', help: 'reconcile only this namespace' },
      policy: {
        type: 'string',
        value: 'POLICY',
        choices: ['Required', 'Auto'],
        help: 'the policy if neither object nor namespace sets one (default: Required; with --adopt or --shadow: Auto)',
      },
      adopt: {
        type: 'boolean',
        help: `adopt pods of another controller such as OpenKruise; without it such ${kindNamesText()} are held`,
      },
      shadow: {
        type: 'boolean',
        help: 'write nothing; compare decisions with what OpenKruise does and report differences',
      },
      'allow-break-glass': {
        type: 'string',
        value: 'WHEN',
        default: 'policy',
        choices: ['policy', 'always', 'never'],
        help: 'when to accept BreakGlass; policy: if the policies of deploy/ verify the sender',
      },
      'max-running': {
        type: 'string',
        value: 'N',
        default: '10',
        help: 'how many rollouts may update pods at the same time',
      },
      config: {
        type: 'string',
        value: 'FILE',
        help: 'the configuration file, which defines the checks of plans',
      },
      'no-leader-election': {
        type: 'boolean',
        help: 'start without a Lease; only safe with a single instance',
      },
      'lease-namespace': {
        type: 'string',
        value: 'NAME',
        help: 'the namespace of the leader election Lease (default: that of the pod or context, else --namespace)',
      },
      port: {
        type: 'string',
        value: 'N',
        default: '8080',
        help: 'the port of /livez, /readyz and /metrics; 0: none',
      },
      address: {
        type: 'string',
        value: 'ADDRESS',
        help: 'the address of that port (default: 0.0.0.0 in a pod, else 127.0.0.1)',
      },
      log: {
        type: 'string',
        value: 'FORMAT',
        choices: ['json', 'text'],
        help: 'the log format: json or text (default: text on a terminal, else json)',
      },
    },
    notes: [
      'It runs until SIGTERM or Ctrl-C and then stops within five seconds. Rollouts continue at the next start.',
      'Exit codes: 0 after a signal, 1 after an error that a retry does not fix.',
    ],
    load: async () => (await import('../run/run.ts')).runRuntime,
  },
  status: {
    group: 'Observe and control rollouts',
    summary: 'Show the progress of rollouts',
    operands: '[TARGET]',
    options: {
      'all-namespaces': { type: 'boolean', short: 'A', help: 'show all namespaces' },
      namespace: {
        type: 'string',
        short: 'n',
        value: 'NAME',
        help: 'the namespace (default: that of the context)',
      },
      watch: {
        type: 'boolean',
        short: 'w',
        help: 'update the output; with TARGET until its rollout has ended',
      },
      timeout: { type: 'string', value: 'TIME', help: 'stop -w after this time, such as 90s or 10m' },
      digest: { type: 'string', value: 'HASH', help: 'with -w TARGET: wait for the end of this plan' },
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
      'With TARGET (NAMESPACE/KIND/NAME, KIND/NAME or NAME): its plan, steps, pods and Events. Without: a line per target.',
      'Exit codes: 0 nothing has failed (-w TARGET: done), 1 error, 3 a rollout has failed, 4 not done within --timeout,',
      '5 held without a plan (-w TARGET).',
    ],
    load: async () => (await import('../status/status.ts')).runStatus,
  },
  approve: rollout('approve', 'Approve a step that waits for approval', [], {
    step: {
      type: 'string',
      value: 'ID',
      help: 'the step to approve; required if the plan has several approvals',
    },
  }),
  pause: rollout('pause', 'Pause a rollout', ['No further pod is updated until the rollout is resumed.']),
  resume: rollout(
    'resume',
    'Resume a paused or failed rollout',
    ['An aborted or reverted rollout restarts at step 1, after confirmation.'],
    yes,
  ),
  abort: rollout('abort', 'Abort a rollout', ['Pods stay as they are.']),
  revert: rollout('revert', 'Revert the pods of a rollout', [
    'Pods go back to the stable revision, the one on which the target was last complete.',
  ]),
  'break-glass': rollout(
    'break-glass',
    'Suspend the plans of a target: its own strategy applies (emergency)',
    [
      'All plans of the target are suspended until --expires, which is required and at most seven days ahead.',
      'The command shows first how many pods will be updated, and asks for confirmation.',
    ],
    yes,
  ),
  sandbox: {
    group: 'Try it out',
    summary: 'Start a Kubernetes API server in memory with simulated nodes, to try it with kubectl',
    operands: '',
    options: {
      port: { type: 'string', value: 'N', help: 'the port on 127.0.0.1 (default: a free port)' },
      tls: { type: 'boolean', help: 'serve HTTPS with a certificate that is created for this run' },
      nodes: { type: 'string', value: 'N', help: 'the number of nodes (default: 3)' },
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
      state: {
        type: 'string',
        value: 'FILE',
        help: 'store all objects in this file, and restore them at the next start',
      },
      'pull-time': {
        type: 'string',
        value: 'TIME',
        default: '2s',
        help: 'how long a node takes to pull an image, such as 500ms or 1m',
      },
      speed: {
        type: 'string',
        value: 'X',
        default: '1',
        help: 'the speed of the simulated clock, 0.01 to 100',
      },
      'max-running': {
        type: 'string',
        value: 'N',
        default: '10',
        help: 'how many rollouts may update pods at the same time',
      },
      'no-runtime': {
        type: 'boolean',
        help: `only the API server and the nodes: no controller for ${kindNamesText()}`,
      },
      quiet: { type: 'boolean', short: 'q', help: 'do not print the actions of the runtime' },
    },
    notes: [
      'It runs until Ctrl-C. Its first lines show the commands to continue with.',
      'Without --state all objects are lost at the end.',
    ],
    load: async () => (await import('../sandbox/sandbox.ts')).runSandbox,
  },
  kubelet: {
    group: 'Try it out',
    summary: 'Simulate nodes, kubelets and scheduler for an API server that has none',
    operands: '',
    options: {
      kubeconfig: { type: 'string', value: 'FILE', help: 'the API server' },
      context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
      nodes: { type: 'string', value: 'N', default: '3', help: 'the number of nodes' },
      'node-prefix': {
        type: 'string',
        value: 'NAME',
        default: 'node',
        help: 'the prefix of node names: NAME-1, NAME-2, …',
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
      'no-scheduler': { type: 'boolean', help: 'do not bind pods to nodes, for a server with a scheduler' },
      'no-events': { type: 'boolean', help: 'write no Events' },
      'beside-machines': {
        type: 'boolean',
        help: 'start even if the cluster has real nodes, or nodes of other programs',
      },
      cleanup: { type: 'boolean', help: 'delete the nodes at the end' },
    },
    notes: [
      'No container runs: pulls, starts and readiness are simulated; the tag of an image selects its behavior.',
      'It runs until Ctrl-C. Nodes and pods remain, and the next start continues with them.',
    ],
    load: async () => (await import('../kubelet/kubelet.ts')).runKubelet,
  },
};
