import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';
import { didYouMean, quoted } from './phrases.ts';

/** KR40xx: kruise.yaml by itself. */
export const configCodes = {
  KR4001: define<{ feature: string; effect: string }>({
    title: 'Not in this version',
    severity: 'error',
    message: ({ feature, effect }) => `this version does not execute ${feature}: ${effect}`,
    help: ({ feature }) => `remove ${feature} from kruise.yaml`,
    about: 'If a gate were ignored, a rollout would continue where its authors wanted it to stop.',
    remedy: 'Remove the field from kruise.yaml.',
  }),
  KR4002: define<{ number: number; batch: string; before?: { number: number; batch: string } }>({
    title: 'Batches must grow',
    severity: 'error',
    message: ({ number, batch, before }) =>
      before === undefined
        ? `batch ${number} (${batch}) updates no pod at any number of replicas`
        : `batch ${number} (${batch}) must update more pods than ${before.number === number - 1 ? 'the one before' : `batch ${before.number}`} (${before.batch})`,
    help: ({ before }) =>
      before === undefined ? 'start with the pods to update first, such as to: 1' : undefined,
    about:
      'Each batch states the total number or percentage of updated pods, not how many are added. A batch that updates no ' +
      'further pod at any number of replicas is a mistake, and its gates would check nothing.',
    remedy: 'Sort the batches so that each is larger than the one before.',
  }),
  KR4003: define<{ last: string }>({
    title: 'The last batch must be 100%',
    severity: 'error',
    message: ({ last }) => `the last batch is ${last}, so the rollout would never be complete`,
    help: ({ last }) => (last === '100' ? 'did you mean 100%? 100 is a number of pods' : undefined),
    about: 'A plan that cannot succeed would stay active and hold the next change.',
    remedy: 'Add {to: "100%"} as the last batch. To stop earlier on purpose, set partition in the manifest.',
  }),
  KR4004: define<{ batch: number; batches: number }>({
    title: 'Approval without a gate',
    severity: 'error',
    message: ({ batch, batches }) =>
      `no gate follows batch ${batch}: the plan has ${batches}, and the last one needs no gate`,
    help: ({ batches }) => (batches > 1 ? `use 1 to ${batches - 1}` : 'add a batch before 100%'),
    about: 'approve lists the batches after which a user must approve before the next one starts.',
    remedy: 'List only batches that another batch follows.',
  }),
  KR4005: define<{ detail: string }>({
    title: 'kruise.yaml is not one document',
    severity: 'error',
    message: ({ detail }) => `kruise.yaml must hold one map, found ${detail}`,
    about: 'The configuration is one YAML document.',
    remedy: 'Write one map, with the keys steps and images.',
  }),
  KR4007: define<{ kind: string; suggestion: string | undefined; choices?: readonly string[] }>({
    title: 'Kind that does not exist',
    severity: 'error',
    message: ({ kind, choices }) =>
      choices === undefined
        ? `apps.kruise.io has no kind '${shorten(kind, 80)}'`
        : `several groups have a kind '${kind}'`,
    help({ kind, suggestion, choices }) {
      if (choices !== undefined) return `write ${choices.join(' or ')}`;
      if (kind.includes('*'))
        return 'kinds are written in full; without match.kind a rule matches every kind';
      return didYouMean(suggestion);
    },
    about: 'OpenKruise has no such kind: a rule for it never matches, and no target of it can come first.',
    remedy: 'Correct the kind. Without match.kind a rule matches every kind.',
  }),
  KR4008: define<{ kind: string }>({
    title: 'Rule for a kind that is not planned yet',
    severity: 'warning',
    message: ({ kind }) => `this version does not plan ${shorten(kind, 80)}: the rule is not used`,
    about: 'The rule is valid for a later version that plans this kind.',
    remedy: 'Keep the rule for a later version, or remove it.',
  }),
  KR4009: define<{ path: string; why: string }>({
    title: 'kruise.yaml under another name or form',
    severity: 'error',
    message: ({ path, why }) => `${path} ${why}`,
    about: 'If the configuration were ignored, rollouts would run in one step instead of in its batches.',
    remedy: 'Use a regular file named kruise.yaml.',
  }),
  KR4011: define<{ to: string; atLeast: number }>({
    title: 'Batch of 0%',
    severity: 'warning',
    message: ({ to, atLeast }) =>
      `a batch to ${to} still updates ${countText(atLeast, 'pod')}, because atLeast is ${atLeast}`,
    about: 'A percentage below 100% updates at least one pod, unless atLeast is 0.',
    remedy: 'Start with the number of pods to update first, such as to: 1.',
  }),
  KR4012: define<{ field: string }>({
    title: 'Gate without a following batch',
    severity: 'warning',
    message: ({ field }) => `${field} has no effect: there is no second batch`,
    about: 'Gates are placed between two batches, and there is at most one batch.',
    remedy: 'Add batches, for example batches: [{ to: 10% }, { to: 100% }].',
  }),
  KR4013: define({
    title: 'Soak without time',
    severity: 'warning',
    message: () => 'a soak of 0 does not wait',
    about: 'A soak observes for some time whether pods stay available.',
    remedy: 'Set a time such as 10m, or remove the soak.',
  }),
  KR4014: define<{ field: string; value: string }>({
    title: 'Duration too long',
    severity: 'error',
    message: ({ field, value }) =>
      `${field} is '${shorten(value, 40)}', more than the limit of 30 days (720h)`,
    about: 'A rollout that needs a longer wait should be split into two changes.',
    remedy: 'Use at most 720h.',
  }),
  KR4015: define<{ problem: string }>({
    title: 'Invalid argument of a check',
    severity: 'error',
    message: ({ problem }) => problem,
    about:
      'The compiler validates the arguments of the built-in checks pods and nodes. The runtime validates those of other ' +
      'checks, because their configuration is not in git.',
    remedy: 'Correct the argument. docs/configuration.md lists the arguments of the built-in checks.',
  }),
  KR4016: define<{ field: string; marker: string }>({
    title: 'Placeholder in a check',
    severity: 'error',
    message: ({ field, marker }) =>
      `${shorten(field, 80)} contains '${marker}', which other tools rewrite in a plan`,
    about:
      'Checks are copied into the plan. kustomize, Flux, SOPS and similar tools rewrite such text before it reaches ' +
      'the cluster, and then the plan does not match its digest.',
    remedy: 'Keep such values in the configuration of the runtime, and use a plain name for the check.',
  }),
  KR4020: define<{ target: string; rule: string; help: string }>({
    title: 'Namespace of a target in after',
    severity: 'error',
    message: ({ target, rule }) => `after names ${target}: ${rule}`,
    help: ({ help }) => help,
    about:
      'A rollout waits for targets of its own namespace, or for cluster-scoped ones. A cluster-scoped target has no ' +
      'namespace, so its entries must name the namespace of the targets that it waits for.',
    remedy: 'Remove the namespace. If the rule is for cluster-scoped targets, name one.',
  }),
  KR4021: define<{
    field: string;
    what: string;
    value: string;
    character: string;
    suggestion: string | undefined;
  }>({
    title: 'Pattern that can match nothing',
    severity: 'error',
    message: ({ field, what, value, character }) =>
      `${field} ${quoted(value)} can match nothing: no ${what} has '${character}'`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'Namespaces and names have lower-case letters, digits and dashes, names dots, too. In match, an asterisk stands for any ' +
      'characters. Other signs of globs and regular expressions have no meaning there.',
    remedy: 'Write an asterisk for any characters, as in prod-*, or a list of values.',
  }),
  KR4026: define<{ field: string; why: string }>({
    title: 'Setting without effect',
    severity: 'warning',
    message: ({ field, why }) => `${field} has no effect: ${why}`,
    about:
      'Another setting of kruise.yaml decides instead, whatever the targets are. Readers would expect what the setting says.',
    remedy: 'Remove the setting, or the one that decides instead.',
  }),
  KR4029: define<{ number: number }>({
    title: 'Batch that never begins',
    severity: 'error',
    message: ({ number }) => `batch ${number} has a parallelism of 0, so it begins on no node`,
    about: 'A percentage rounds up, so that it is at least one node. Only 0 and 0% are none.',
    remedy: 'Write at least 1, or remove parallelism: the one of the manifest applies then.',
  }),
  KR4030: define<{ pattern: string }>({
    title: 'Ignore pattern that matches nothing',
    severity: 'warning',
    message: ({ pattern }) => `'${shorten(pattern, 80)}' matches no file or folder`,
    about:
      'ignore lists files and folders that are not read, at head and at base. A pattern that matches nothing is often ' +
      'misspelled, or left from a folder that is gone.',
    remedy: 'Correct the pattern, or remove it. Patterns are relative to kruise.yaml.',
  }),
  KR4031: define<{ path: string; pattern: string }>({
    title: 'Path that is ignored',
    severity: 'warning',
    message: ({ path, pattern }) => `${path} is not read: '${shorten(pattern, 80)}' ignores it`,
    about:
      'The path was named on the command line, but ignore of kruise.yaml leaves it out, at head and at base.',
    remedy: 'Leave the path out, or remove the pattern from ignore.',
  }),
  KR4032: define<{ root: string; command: string; folder: string }>({
    title: 'Command that is not allowed',
    severity: 'error',
    message: ({ root, command }) => `the root ${root} is rendered by a command: ${shorten(command, 200)}`,
    help: ({ folder }) => `allow it with --allow-render; it runs in ${folder} of head, and of base`,
    about:
      'The commands of kruise.yaml are a part of what a pull request proposes, and so is what they read. They run with the ' +
      'rights of the user who runs kruise, so none runs without --allow-render.',
    remedy: 'Read the command, then add --allow-render. In CI, allow it for trusted branches only.',
  }),
  KR4033: define<{ root: string; command: string; state: string; problem: string; help?: string }>({
    title: 'Command that did not render',
    severity: 'error',
    message: ({ root, command, state, problem }) =>
      `the root ${root} ${state} was not rendered: ${shorten(command, 200)} ${problem}`,
    help: ({ help }) => help,
    about:
      'A command of roots prints the manifests of its root. Its error output is in the message. At base it runs in the files ' +
      'of the base commit, where only what is committed exists.',
    remedy: 'Run the command in the folder of the root, and correct what it reports.',
  }),
  KR4034: define<{ problem: string }>({
    title: 'Invalid root',
    severity: 'error',
    message: ({ problem }) => problem,
    about:
      'A root has a name, which is also the folder of its plans, and a path below the folder of kruise.yaml. Its command is ' +
      'a list of the program and its arguments, and runs without a shell.',
    remedy: 'Correct the root in kruise.yaml.',
  }),
  KR4037: define<{ use: string; suggestion: string | undefined }>({
    title: 'Unknown check',
    severity: 'error',
    message: ({ use }) =>
      `no check is called ${quoted(use)}: it is neither built in nor in checks of kruise.yaml`,
    help: ({ suggestion }) => didYouMean(suggestion) ?? 'add it to checks, if the runtime has it',
    about:
      'checks of kruise.yaml lists the checks that the configuration of the runtime has. A plan with another one would be ' +
      'refused as a whole in the cluster, before it starts.',
    remedy: 'Correct the name. A new check goes into the configuration of the runtime, and into checks.',
  }),
} as const;
