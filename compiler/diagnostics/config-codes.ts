import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';

/** KR40xx: kruise.yaml. */
export const configCodes = {
  KR4001: define<{ feature: string; effect: string }>({
    title: 'Not in this version',
    severity: 'error',
    message: ({ feature, effect }) => `this version does not execute ${feature}: ${effect}`,
    help: ({ feature }) => `remove ${feature} from kruise.yaml`,
    about: 'Ignoring a gate would let a roll-out pass where its authors wanted it to stop. So it is refused.',
    remedy: 'Remove the field from kruise.yaml.',
  }),
  KR4002: define<{ batch: string; before: string }>({
    title: 'Batches must grow',
    severity: 'error',
    message: ({ batch, before }) => `batch ${batch} does not go beyond the one before, ${before}`,
    about: 'Each batch names how far the roll-out has come in all, not how much is added.',
    remedy: 'Sort the batches, and let each go beyond the one before.',
  }),
  KR4003: define<{ last: string }>({
    title: 'The last batch must be everything',
    severity: 'error',
    message: ({ last }) => `the last batch is ${last}, so the roll-out would never be complete`,
    about: 'A plan that cannot succeed would stay on for ever and hold the next change.',
    remedy: 'Add {to: "100%"} as the last batch; to stop on purpose use partition in the manifest.',
  }),
  KR4004: define<{ batch: number; batches: number }>({
    title: 'Approval at no gate',
    severity: 'error',
    message: ({ batch, batches }) =>
      `there is no gate after batch ${batch}: the plan has ${batches}, and nothing follows the last one`,
    help: ({ batches }) => (batches > 1 ? `use 1 to ${batches - 1}` : 'add a batch before 100%'),
    about: 'approve lists the batches after which a person must agree before the next one starts.',
    remedy: 'Name only batches that another batch follows.',
  }),
  KR4005: define<{ detail: string }>({
    title: 'kruise.yaml is not one document',
    severity: 'error',
    message: ({ detail }) => `kruise.yaml must hold one map, found ${detail}`,
    about: 'The configuration is one YAML document.',
    remedy: 'Write one map, with the keys steps and images.',
  }),
  KR4006: define<{ rule: number; shadowed: boolean }>({
    title: 'Rule that takes no target',
    severity: 'warning',
    message: ({ rule, shadowed }) =>
      shadowed
        ? `rule ${rule} is never used: an earlier rule takes every target it matches`
        : `rule ${rule} matches no target`,
    about:
      'The first rule that matches a target is used. One that takes none is often misspelt, or stands too far down; ' +
      'its targets then roll out in other steps than somebody meant.',
    remedy:
      'Correct match, move the rule up, or remove it; ignore this if only a part of the manifests is planned.',
  }),
  KR4007: define<{ kind: string; suggestion: string | undefined; choices?: readonly string[] }>({
    title: 'Kind that does not exist',
    severity: 'error',
    message: ({ kind, choices }) =>
      choices === undefined
        ? `apps.kruise.io has no kind '${shorten(kind, 80)}'`
        : `several groups have a kind '${kind}'`,
    help({ suggestion, choices }) {
      if (choices !== undefined) return `write ${choices.join(' or ')}`;
      return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
    },
    about:
      'A rule for a kind that OpenKruise does not have can never match, and nothing of such a kind can be waited for.',
    remedy: 'Correct the kind; match.kind may be left out to match every kind.',
  }),
  KR4008: define<{ kind: string }>({
    title: 'Rule for a kind that is not planned yet',
    severity: 'warning',
    message: ({ kind }) => `this version plans no ${shorten(kind, 80)}: the rule is not used`,
    about: 'Rules for kinds of OpenKruise that this version does not plan are kept for later ones.',
    remedy: 'Keep the rule for a later version, or remove it.',
  }),
  KR4009: define<{ path: string; why: string }>({
    title: 'kruise.yaml under another name or form',
    severity: 'error',
    message: ({ path, why }) => `${path} ${why}`,
    about:
      'A configuration that is not read would let roll-outs pass in one step where somebody wrote batches.',
    remedy: 'Make it a file with the name kruise.yaml.',
  }),
  KR4010: define<{ target: string; batches: string; replicas: number }>({
    title: 'Batch that allows nothing more',
    severity: 'warning',
    message: ({ target, batches, replicas }) =>
      `at ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} of ${target}, ${batches} no pod more than the one before`,
    about: 'What stands between two such batches is waited for, but nothing has changed that could go wrong.',
    remedy: 'Use fewer or larger batches for small targets, with a rule of their own.',
  }),
  KR4011: define<{ to: string; atLeast: number }>({
    title: 'Batch of nothing',
    severity: 'warning',
    message: ({ to, atLeast }) =>
      atLeast === 0
        ? `a batch to ${to} moves no pod`
        : `a batch to ${to} still moves ${atLeast === 1 ? '1 pod' : `${atLeast} pods`}, because atLeast is ${atLeast}`,
    about: 'A percentage below 100% takes at least one pod, unless atLeast: 0 is said.',
    remedy: 'Start with the number of pods that shall go first, such as to: 1.',
  }),
  KR4012: define<{ field: string }>({
    title: 'Gate that nothing follows',
    severity: 'warning',
    message: ({ field }) => `${field} has no effect: there is no second batch`,
    about: 'Gates stand between two batches. With one batch, or none, there is no such place.',
    remedy: 'Add batches, for example batches: [{ to: 10% }, { to: 100% }].',
  }),
  KR4013: define({
    title: 'Soak of nothing',
    severity: 'warning',
    message: () => 'a soak of 0 waits for nothing',
    about: 'A soak shows whether pods stay well. Without time there is nothing to see.',
    remedy: 'Give it a time such as 10m, or remove it.',
  }),
  KR4014: define<{ field: string; value: string }>({
    title: 'Duration too long',
    severity: 'error',
    message: ({ field, value }) =>
      `${field} is '${shorten(value, 40)}', more than the limit of 30 days (720h)`,
    about: 'A roll-out that stands still for longer is better split into two changes.',
    remedy: 'Use at most 720h.',
  }),
  KR4015: define<{ problem: string }>({
    title: 'Argument that a check does not take',
    severity: 'error',
    message: ({ problem }) => problem,
    about:
      'The checks pods and nodes are built in, and what they take is known here. Others are judged by the ' +
      'configuration of the runtime, which is not in git.',
    remedy: 'Correct the argument; docs/configuration.md lists those of the built-in checks.',
  }),
  KR4016: define<{ field: string; marker: string }>({
    title: 'Text of a check that tools replace',
    severity: 'error',
    message: ({ field, marker }) =>
      `${shorten(field, 80)} contains '${marker}', which other tools rewrite in a plan`,
    about:
      'Checks stand in the plan as they are written. kustomize, Flux, SOPS and similar tools rewrite such text on its ' +
      'way to the cluster, and then the plan no longer fits its digest.',
    remedy: 'Keep such values in the configuration of the runtime, and give the check a plain name.',
  }),
  KR4017: define<{ target: string }>({
    title: 'Target after itself',
    severity: 'error',
    message: ({ target }) => `${target} would wait for itself`,
    about:
      'after names the targets whose roll-outs come first. A rule for many targets may take one that it names, which ' +
      'then does not wait for itself; a rule for one target cannot mean that.',
    remedy: 'Remove the entry, or name the target that is meant.',
  }),
  KR4018: define<{ cycle: string; rule: number; last: boolean }>({
    title: 'Roll-outs that wait for each other',
    severity: 'error',
    message: ({ cycle, last }) =>
      `roll-outs would wait for each other for ever: ${cycle}${last ? '; more are looked for once these are mended' : ''}`,
    help: ({ rule }) =>
      `remove an entry of after, or give one of the targets a rule of its own above rule ${rule}`,
    about:
      'Each would start only after the next one is over. It is an error even while none of them changes: the next ' +
      'commit that changes two of them would never be rolled out.',
    remedy: 'Remove an entry of after, or give one of the targets a rule of its own further up.',
  }),
  KR4019: define<{
    target: string;
    where: string;
    suggestion: string | undefined;
    elsewhere: string | undefined;
  }>({
    title: 'Nothing to wait for',
    severity: 'warning',
    message: ({ target, where }) => `after names ${target}, which is in no manifest ${where}`,
    help: ({ suggestion, elsewhere }) => {
      if (elsewhere !== undefined)
        return `${elsewhere} is in another namespace; after looks in the target's own only`;
      return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
    },
    about:
      'after looks for targets of the same namespace, and a roll-out waits until each of them is there and settled. One ' +
      'that is kept in another repository cannot be seen here; one that is misspelt would be waited for without end.',
    remedy: 'Correct the name; ignore this if the target is kept elsewhere, or only a part is planned.',
  }),
  KR4020: define<{ target: string; rule: string; help: string }>({
    title: 'Namespace of a target to wait for',
    severity: 'error',
    message: ({ target, rule }) => `after names ${target}: ${rule}`,
    help: ({ help }) => help,
    about:
      'A roll-out waits for targets of its own namespace, and for those that are in none. A target in no namespace has no ' +
      'namespace of its own to look in, so what it waits for is named with one.',
    remedy: 'Remove the namespace; name one where the rule is for targets that are in none.',
  }),
} as const;
