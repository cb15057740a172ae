import type { Commands } from './command.ts';

/** The commands that simulate a cluster or its nodes. */
export const simulationCommands = {
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
        help: 'only the API server and the nodes: no controller for workloads of apps.kruise.io',
      },
      'mutating-policies': {
        type: 'boolean',
        help: 'serve MutatingAdmissionPolicies, which a server of this version does not by default',
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
} as const satisfies Commands;
