import { STATE_NAMESPACE } from '../../semantics/values/system-namespaces.ts';
import type { Commands } from './command.ts';
import { humanOrJson, out, planCommands } from './plan-commands.ts';
import { rolloutCommands } from './rollout-commands.ts';
import { simulationCommands } from './simulation-commands.ts';

/** To add a command, add an entry to its group and a file with its code. */
const working: Commands = {
  init: {
    group: 'Plan changes',
    summary: 'Prepare a repository of manifests for plans',
    operands: '[PATH…]',
    options: {
      'dry-run': { type: 'boolean', help: 'print the files, and write none' },
      from: {
        type: 'string',
        value: 'GROUP/VERSION',
        choices: ['apps/v1'],
        help: 'only write workloads of apps/v1 as kinds of OpenKruise, where that is exact',
      },
    },
    notes: [
      'It writes kruise.yaml, a line of .gitattributes and, for GitHub and GitLab, a job that checks plans. It replaces nothing.',
      '--from apps/v1: PATH names manifests. They are edited in place, and standard output says what is won and how to hand over.',
    ],
    load: async () => (await import('../init/init.ts')).runInit,
  },
  plan: { ...planCommands.plan, load: async () => (await import('../plan/plan.ts')).runPlan },
  validate: {
    ...planCommands.validate,
    load: async () => (await import('../validate/validate.ts')).runValidate,
  },
  explain: {
    group: 'Plan changes',
    summary: 'Explain a diagnostic, or a workload and its committed plan',
    operands: 'CODE|OBJECT|FILE',
    options: {
      namespace: { type: 'string', short: 'n', value: 'NAME', help: 'the namespace of the object' },
      out,
      output: humanOrJson,
    },
    notes: [
      'OBJECT is KIND/NAME or NAMESPACE/KIND/NAME of a workload or of a RolloutPlan; FILE is a manifest or a plan.',
      'It reads the files below the working directory alone: no cluster, no base, and no command of kruise.yaml runs.',
    ],
    load: async () => (await import('../explain/explain.ts')).runExplain,
  },
  comment: {
    group: 'Plan changes',
    summary: 'Show what kruise plan -o json printed as a comment on a pull request',
    operands: 'FILE|-',
    options: {
      output: {
        type: 'string',
        short: 'o',
        value: 'FORMAT',
        default: 'markdown',
        choices: ['markdown', 'github', 'gitlab'],
        help: 'markdown, github for annotations of GitHub Actions, or gitlab for a report of Code Quality',
      },
      post: {
        type: 'string',
        value: 'FORGE',
        choices: ['github', 'gitlab'],
        help: 'write the comment instead of printing it: on github or gitlab, as the variables of CI say',
      },
      author: {
        type: 'string',
        value: 'LOGIN',
        default: 'github-actions[bot]',
        help: 'with --post github: the account of GITHUB_TOKEN, whose earlier comment is replaced',
      },
      name: {
        type: 'string',
        value: 'NAME',
        help: 'with --post: each name has a comment of its own, for a pull request with several checks',
      },
    },
    notes: [
      'The file may come from a fork: what kruise plan would not print is refused. It needs no repository.',
      '--post github reads GITHUB_TOKEN, --post gitlab KRUISE_NOTE_TOKEN. A later run replaces the comment.',
    ],
    load: async () => (await import('../comment/comment.ts')).runComment,
  },
  build: {
    group: 'Plan changes',
    summary: 'Compile manifests to kinds of Kubernetes, or write sidecars into their templates',
    operands: '[PATH…|-]',
    options: {
      sidecars: {
        type: 'boolean',
        help: 'only write the containers of each set into the templates that it selects',
      },
      check: {
        type: 'boolean',
        help: 'write nothing; exit with 20 if the folder of --out differs from the source',
      },
      strict: {
        type: 'boolean',
        help: 'fail where kruise.yaml chooses an object of which something is lost',
      },
      namespace: {
        type: 'string',
        short: 'n',
        value: 'NAME',
        default: 'default',
        help: 'the namespace of objects that name none',
      },
      out: {
        type: 'string',
        short: 'o',
        value: 'DIR',
        help: 'write the files below this folder instead of standard output',
      },
      'allow-render': {
        type: 'boolean',
        help: 'run the commands that render the sources of roots in kruise.yaml: they can do whatever you can',
      },
    },
    notes: [
      'Objects of which nothing is lost are compiled, others where build in kruise.yaml chooses them. The rest stays as it is.',
      'Plans hold no object of Kubernetes: its own controllers update it at once.',
      'Without PATH and --out each root of kruise.yaml that has a source is built into its folder.',
      '--sidecars: a webhook gives new pods the same containers; this is for clusters without one. Plan what it writes.',
      'Files are written all or none. Namespaces are known by their manifests, and pods by their templates, of any kind.',
    ],
    load: async () => (await import('../manifests/build.ts')).runBuild,
  },
  run: {
    group: 'Run the controller',
    summary: 'Run the controller for workloads of apps.kruise.io and their plans',
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
        help: 'adopt pods of another controller such as OpenKruise; without it such workloads are held',
      },
      shadow: {
        type: 'boolean',
        help: 'write nothing; compare decisions with what OpenKruise does and report differences',
      },
      admission: {
        type: 'boolean',
        help: 'answer reviews of new pods instead: a webhook that gives them the sidecars of the sets that select them, and their launch order',
      },
      certificates: {
        type: 'string',
        value: 'DIR',
        help: 'with --admission: the folder with tls.crt and tls.key, which is read again as they change',
      },
      'admission-port': {
        type: 'string',
        value: 'N',
        help: 'with --admission: the port of reviews (default: 9443; 0: any that is free)',
      },
      'admission-host': {
        type: 'string',
        value: 'NAME',
        help: 'with --admission: the name or address by which API servers ask, for which the certificate must be (default: kruise-admission.NAMESPACE.svc in a cluster; elsewhere: any)',
      },
      'client-ca': {
        type: 'string',
        value: 'FILE',
        help: 'with --admission: answer only clients with a certificate of these authorities, which is read again as it changes (default: everybody who reaches the port)',
      },
      'exact-budgets': {
        type: 'boolean',
        help: 'with --admission: also review what others do to pods of budgets, and take a slot for each',
      },
      spreads: {
        type: 'boolean',
        help: 'with --admission: also give new pods of spread workloads their subsets, on record in a status',
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
        help: 'the namespace of the leader election Lease, and of the revisions of cluster-scoped targets (default: in a pod its own; else kruise-system for the revisions, and that of the context or of --namespace for the Lease)',
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
      page: {
        type: 'boolean',
        help: 'serve a read-only page of all rollouts at /rollouts of that port; beyond this machine for those alone whose token may list rolloutplans',
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
  admission: {
    group: 'Run the controller',
    summary: 'Install the webhook of kruise run --admission, or check that it answers',
    operands: 'install|check',
    options: {
      ca: {
        type: 'string',
        value: 'FILE',
        help: 'install: the certificate authority of the webhook, as PEM',
      },
      system: {
        type: 'string',
        value: 'NAME',
        default: STATE_NAMESPACE,
        help: 'the namespace of the Service kruise-admission and of the revisions of sets',
      },
      url: {
        type: 'string',
        value: 'URL',
        help: 'install: ask this https address instead of the Service, for an admission outside of the cluster',
      },
      'exact-budgets': {
        type: 'boolean',
        help: 'install: also ask kruise run --admission --exact-budgets about pods of budgets; while it is down they are not deleted',
      },
      'no-exact-budgets': {
        type: 'boolean',
        help: 'install: ask about pods of budgets no longer',
      },
      spreads: {
        type: 'boolean',
        help: 'install: also ask kruise run --admission --spreads where new pods of spread workloads go',
      },
      'no-spreads': {
        type: 'boolean',
        help: 'install: ask about new pods of spread workloads no longer',
      },
      namespace: {
        type: 'string',
        short: 'n',
        value: 'NAME',
        help: 'check, or install with --exact-budgets: where a pod would be created (default: that of the context)',
      },
      kubeconfig: { type: 'string', value: 'FILE', help: 'the cluster' },
      context: { type: 'string', value: 'NAME', help: 'the context of the kubeconfig' },
    },
    notes: [
      'install writes the MutatingWebhookConfiguration kruise-admission, and again after a change of the authority.',
      'With --exact-budgets it writes a ValidatingWebhookConfiguration of that name, too, once the webhook answers a dry run; --no-exact-budgets removes that. Where it is there, one of the two is needed.',
      'check creates no pod: it sends one as a dry run, and compares what comes back with what the sets give it.',
      'Where no set adds a container, it checks the order of containers instead.',
    ],
    load: async () => (await import('../admission/admission.ts')).runAdmission,
  },
  ...rolloutCommands,
  ...simulationCommands,
};

/** Every command, by name. */
export const commands: Commands = {
  ...working,
  completion: {
    group: 'Plan changes',
    summary: 'Print a script that completes commands and options in your shell',
    operands: 'bash|fish|zsh',
    options: {},
    notes: ['In bash and zsh: source <(kruise completion bash). In fish: kruise completion fish | source.'],
    load: async () => (await import('../completion/completion.ts')).completionOf(commands),
  },
};
