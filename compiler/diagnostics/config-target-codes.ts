import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';
import { didYouMean } from './phrases.ts';

/** KR40xx: kruise.yaml together with the targets that it is for. */
export const configTargetCodes = {
  KR4006: define<{
    rule: number;
    shadowedBy: number | undefined;
    wrong: { text: string; suggestion: string | undefined } | undefined;
  }>({
    title: 'Unused rule',
    severity: 'warning',
    message({ rule, shadowedBy, wrong }) {
      if (shadowedBy !== undefined)
        return `rule ${rule} is never used: rule ${shadowedBy} and others before it match all of its targets`;
      const reason = wrong === undefined ? '' : `: none has ${shorten(wrong.text, 200)}`;
      return `rule ${rule} matches no target${reason}`;
    },
    help({ shadowedBy, wrong }) {
      if (shadowedBy !== undefined) return 'move the rule up, or remove it';
      return wrong?.suggestion === undefined ? undefined : `did you mean '${wrong.suggestion}'?`;
    },
    about:
      'The first rule that matches a target applies. An unused rule is often misspelled or too far down, and ' +
      'its targets roll out in other steps than intended.',
    remedy:
      'Correct match, or remove the rule; an asterisk stands for any characters, as in prod-*. Ignore this if only a part ' +
      'of the manifests is planned.',
  }),
  KR4010: define<{
    targets: Names;
    batches: string;
    replicas: number;
    retained: number;
    bound: string;
    isFirst: boolean;
  }>({
    title: 'Batch that updates no further pod',
    severity: 'warning',
    message: ({ targets, batches, replicas, retained, bound, isFirst }) =>
      `at ${countText(replicas, 'replica')} of ${namesText(targets)}${retained === 0 ? '' : `, of which ${targets.named.length === 1 ? 'its' : 'their'} ${bound} retains ${retained}`}, ` +
      `${batches} no pod${isFirst ? '' : ' more than the one before'}`,
    about: 'The gates between these batches take time, but they check no newly updated pod.',
    remedy: 'Use fewer or larger batches for small targets, in a separate rule.',
  }),
  KR4017: define<{ target: string }>({
    title: 'Target that waits for itself',
    severity: 'error',
    check: 'refused',
    message: ({ target }) => `${target} would wait for itself`,
    about:
      'after names the targets whose rollouts come first. A rule for many targets may include a target that it names, which ' +
      'then does not wait for itself. In a rule for one target it is a mistake.',
    remedy: 'Remove the entry, or name another target.',
  }),
  KR4018: define<{ cycle: string; rule: string; last: boolean }>({
    title: 'Rollouts that wait for each other',
    severity: 'error',
    check: 'refused',
    message: ({ cycle, last }) =>
      `rollouts would wait for each other: ${cycle}${last ? '; correct these to see whether there are more' : ''}`,
    help: ({ rule }) =>
      `remove an entry of after, or add a separate rule for one of the targets above ${rule}`,
    about:
      'Each rollout would start only after another one of them has finished. It is an error even if none of the targets ' +
      'changes now: a later commit that changes them all would never be rolled out.',
    remedy: 'Remove an entry of after, or add a separate rule for one of the targets above.',
  }),
  KR4019: define<{
    target: string;
    where: string;
    suggestion: string | undefined;
    elsewhere: string | undefined;
  }>({
    title: 'Unknown target in after',
    severity: 'warning',
    message: ({ target, where }) => `after names ${target}, which is in no manifest ${where}`,
    help: ({ suggestion, elsewhere }) => {
      if (elsewhere !== undefined)
        return `${elsewhere} is in another namespace; after names targets of the same namespace`;
      return didYouMean(suggestion);
    },
    about:
      'A rollout waits until each target of after exists in its namespace and is settled. A target in another ' +
      'repository is unknown here. For a misspelled name the rollout would wait without end.',
    remedy:
      'Correct the name. Ignore this if the target is in another repository, or if only a part is planned.',
  }),
  KR4022: define<{ targets: readonly string[]; more: number }>({
    title: 'Target without a rule',
    severity: 'warning',
    strict: true,
    message: unmatchedText,
    about:
      'kruise.yaml has rules, and none of them matches these targets. A new workload often arrives this way: it would skip ' +
      'the batches and gates that others have.',
    remedy: 'Add a rule for them, or default: {} to accept one step.',
  }),
  KR4023: define<{ targets: readonly string[]; more: number }>({
    title: 'Target without a rule, which kruise.yaml refuses',
    severity: 'error',
    check: 'refused',
    message: unmatchedText,
    about: 'unmatched: error in kruise.yaml refuses targets that no rule matches.',
    remedy: 'Add a rule for them, or a default.',
  }),
  KR4024: define<{
    number: number;
    target: { name: string; limits: string; replicas: number; more: number } | undefined;
  }>({
    title: 'Window that moves no pod',
    severity: 'error',
    check: 'refused',
    message: ({ number, target }) =>
      target === undefined
        ? `the window of batch ${number} allows no pod unavailable and none extra, so the batch never updates one`
        : `the window of batch ${number} never lets a pod of ${target.name}` +
          (target.more === 0
            ? ' be updated: the target'
            : ` and ${countText(target.more, 'more target')} be updated: the first`) +
          ` has ${target.limits} at ${countText(target.replicas, 'replica')}`,
    help: ({ target }) =>
      target === undefined ? undefined : 'raise maxUnavailable in the window, or maxSurge in the manifest',
    about:
      'A window narrows the limits of the target: the lower of both applies. If neither maxUnavailable nor maxSurge leaves a ' +
      'pod, the step runs into its timeout.',
    remedy: 'Allow at least one pod in maxUnavailable or maxSurge.',
  }),
  KR4025: define<{ number: number; to: string; rule: string; replicas: number }>({
    title: 'Count that looks like a percentage',
    severity: 'warning',
    message: ({ number, to, rule, replicas }) =>
      `batch ${number} updates ${to} pods, but no target of ${rule} has more than ${replicas}`,
    help: ({ to }) => `did you mean ${to}%?`,
    about: 'A number counts pods. A batch of more pods than a target has updates all of them at once.',
    remedy: 'Write a percentage with a percent sign, such as 50%.',
  }),
  KR4027: define<{ number: number; field: string; target: string; more: number; why: string; help: string }>({
    title: 'Setting of a batch for another kind',
    severity: 'error',
    check: 'refused',
    message: ({ number, field, target, more, why }) =>
      `${field} of batch ${number} has no meaning for ${target}${more === 0 ? '' : ` and ${countText(more, 'more target')}`}: ${why}`,
    help: ({ help }) => help,
    about:
      'A window limits how many pods are unavailable during an update. parallelism limits on how many nodes a kind that runs once ' +
      'on each node does so at a time. nodes selects the nodes whose pods a batch updates, and spread goes by failure domains of ' +
      'nodes: both are for kinds whose units are nodes. subsets names the subsets whose pods a batch updates, of kinds that have some. ' +
      'If the setting were ignored, more would happen at a time than the rule says.',
    remedy: 'Add a rule for the kind, with match.kind, above the one for all kinds.',
  }),
  KR4028: define<{ target: string; more: number }>({
    title: 'Revert of a run',
    severity: 'warning',
    message: ({ target, more }) =>
      `onFailure Revert does not apply to ${target}${more === 0 ? '' : ` and ${countText(more, 'more target')}`}: a run cannot go back, and halts`,
    about:
      'What ran on a node stays done. A failed step begins on no further node, as with Halt, and the plan says Halt. It is no ' +
      'error, because one rule may be for kinds that can go back, too.',
    remedy: 'Ignore this, or add a rule for the kind with onFailure: Halt.',
  }),
  KR4045: define<{ target: string; more: number }>({
    title: 'Tolerated restarts on nodes of a target that is no run',
    severity: 'error',
    check: 'refused',
    message: ({ target, more }) =>
      `restarts of the check nodes has no meaning for ${target}${more === 0 ? '' : ` and ${countText(more, 'more target')}`}: its pods are updated, and not judged by others on their nodes`,
    help: () => 'write it in a rule for the runs, or restarts of the check pods',
    about:
      'After a run the pods of all owners on its nodes are judged, and restarts says how many of one pod are no harm. The pods of ' +
      'other targets are judged by the check pods.',
    remedy: 'Add a rule for the kind, with match.kind, above the one for all kinds.',
  }),
  KR4035: define<{ target: string; more: number }>({
    title: 'Waves of a target that creates no runs',
    severity: 'error',
    message: ({ target, more }) =>
      `waves have no meaning for ${target}${more === 0 ? '' : ` and ${countText(more, 'more target')}`}: it creates nothing that runs on nodes`,
    about:
      'Waves say how each run that a schedule creates goes over the nodes. Other targets have batches. If waves were ignored, ' +
      'more would happen at a time than the rule says.',
    remedy: 'Add a rule for the schedule, with match.kind and match.name, and move the waves there.',
  }),
  KR4046: define<{
    number: number;
    subsets: readonly string[];
    target: string;
    has: readonly string[];
    isRemoved: boolean;
  }>({
    title: 'Batch for a subset that does not exist',
    severity: 'error',
    check: 'refused',
    message: ({ number, subsets, target, has, isRemoved }) =>
      `batch ${number} is for ${namesText({ named: subsets.map((name) => shorten(name, 80)), more: 0 })}, ` +
      (isRemoved
        ? `which this change removes from ${target}`
        : `and ${target} has ${
            has.length === 0
              ? 'no subset'
              : `${has.length === 1 ? 'the subset' : 'the subsets'} ${listText(has)}`
          }`),
    help: ({ isRemoved }) =>
      isRemoved
        ? 'remove it from the batch, or the batch'
        : 'remove it from the batch, name a subset that it has, or add a rule for it alone',
    about:
      'subsets of a batch names subsets of spec.topology. A batch for one that does not exist updates no pod, and its gates would ' +
      'check nothing. Rules for targets with other subsets are rules of their own.',
    remedy: 'Correct the name, or add a rule for the target, with match.name, above this one.',
  }),
  KR4047: define<{ number: number; to: string; target: string; more: number; example: readonly string[] }>({
    title: 'Batch for a part of a subset that is updated as a whole',
    severity: 'error',
    check: 'refused',
    message: ({ number, to, target, more }) =>
      `batch ${number} (${to}) counts pods of ${target}${more === 0 ? '' : ` and ${countText(more, 'more target')}`}, ` +
      'and each of its subsets is updated as a whole',
    help: ({ example }) =>
      `name subsets: {to: 100%, subsets: [${example.map((name) => shorten(name, 80)).join(', ')}]}`,
    about:
      'Children of kinds of Kubernetes are updated by its controllers, all pods of one child. So a batch cannot stop at a number of ' +
      'pods: it is for whole subsets, which subsets names, or for all.',
    remedy: 'Write batches of 100 % that name subsets, and a last one of 100 % for all.',
  }),
  KR4036: define<{ target: string; more: number }>({
    title: 'Pull for a target whose plans pull no images',
    severity: 'warning',
    message: ({ target, more }) =>
      `pull has no effect on ${target}${more === 0 ? '' : ` and ${countText(more, 'more target')}`}: plans of its kind pull no images`,
    about:
      'A pull brings images to nodes before pods are updated. A run begins on a node by pulling there, and a schedule has no ' +
      'pods of its own. Their plans have no such step.',
    remedy: 'Ignore this, or add a rule for the kind without pull.',
  }),
} as const;

/** Some names, and how many more there are. */
interface Names {
  named: readonly string[];
  more: number;
}

function namesText({ named, more }: Names): string {
  const all = more === 0 ? named : [...named, `${more} more`];
  return [all.slice(0, -1).join(', '), ...all.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** So many subsets are named. */
const MOST_NAMED = 5;

function listText(names: readonly string[]): string {
  const named = names.slice(0, MOST_NAMED).map((name) => shorten(name, 80));
  return namesText({ named, more: names.length - named.length });
}

function unmatchedText({ targets, more }: { targets: readonly string[]; more: number }): string {
  const isOne = targets.length + more === 1;
  return `${namesText({ named: targets, more })} ${isOne ? 'matches' : 'match'} no rule and would be rolled out in one step`;
}
