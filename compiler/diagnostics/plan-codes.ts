import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';

/** KR30xx: plans. KR40xx: kruise.yaml. */
export const planCodes = {
  KR3001: define<{ stated: string; actual: string }>({
    title: 'Plan was edited',
    severity: 'error',
    message: ({ stated, actual }) =>
      `the plan was changed by hand: its digest says ${shorten(stated, 40)}, its content is ${actual}`,
    about:
      'A plan is generated and carries a digest of itself. One that was edited is refused by the runtime too.',
    remedy: 'Restore the file from git history, or run kruise plan again if it is not committed yet.',
  }),
  KR3002: define<{ detail: string }>({
    title: 'Plan not understood',
    severity: 'error',
    message: ({ detail }) => `the plan is not understood: ${detail}`,
    about:
      'The runtime refuses a plan that it does not understand, and what the plan at base says about revisions that ' +
      'pods may still be on must go into the new plan.',
    remedy: 'Restore the file from git history, or delete it and plan again.',
  }),
  KR3003: define<{ target: string }>({
    title: 'Two plans for one target',
    severity: 'error',
    message: ({ target }) => `two plans belong to ${target}`,
    about: 'A target follows one plan. The runtime would hold it until one of the two is gone.',
    remedy: 'Delete the one that does not stand in the folder of the target.',
  }),
  KR3004: define<{ steps: number; limit: number }>({
    title: 'Too many steps',
    severity: 'error',
    message: ({ steps, limit }) => `the plan would have ${steps} steps, more than ${limit}`,
    about: 'The limit keeps a plan something that a person can read.',
    remedy: 'Use fewer batches in kruise.yaml.',
  }),
  KR3005: define<{ bytes: number; limit: number }>({
    title: 'Plan too large',
    severity: 'error',
    message: ({ bytes, limit }) => `the plan would have ${bytes} bytes, more than ${limit}`,
    about: 'A plan lives in the cluster as an object and beside its target as a revision. Both have limits.',
    remedy: 'Change fewer containers or fields in one commit.',
  }),
  KR3006: define<{ field: string; plan: string; target: string }>({
    title: 'Window wider than the target allows',
    severity: 'warning',
    message: ({ field, plan, target }) =>
      `the step's ${field} ${plan} is more than the target's own ${target}: the lower one holds`,
    about: 'A step can only narrow what the object allows. To go faster, raise the field in the manifest.',
    remedy: 'Narrow the window in kruise.yaml, or raise the field in the manifest.',
  }),
  KR3007: define<{ target: string }>({
    title: 'Old revision unknown',
    severity: 'warning',
    message: ({ target }) =>
      `only the bound of ${target} changes, and no plan at base names the revision of the pods held back`,
    about:
      'A plan may touch pods on revisions it lists, no others. Without an earlier plan there is none to list.',
    remedy: 'If pods are on another revision, the plan waits until that revision is planned.',
  }),
  KR3008: define<{ path: string }>({
    title: 'Plan without a change',
    severity: 'warning',
    message: ({ path }) => `${path} does not belong to a change between base and head`,
    about: 'The target is the same in both states, or new, and the plan at head is not the one at base.',
    remedy: 'Delete it if it is left over from an earlier draft.',
  }),
  KR3009: define<{ name: string; limit: number }>({
    title: 'Name too long',
    severity: 'error',
    message: ({ name, limit }) =>
      `the plan would be called ${shorten(name, 60)}, longer than the ${limit} letters a name may have`,
    about: 'A plan is named after kind and name of its target, and object names have a limit.',
    remedy: 'Give the object a shorter name.',
  }),
  KR3010: define<{ path: string }>({
    title: 'Edited plan is overwritten',
    severity: 'warning',
    message: ({ path }) => `${path} was edited by hand, and is written anew`,
    about:
      'Its digest does not fit its content. A plan says what the manifests and kruise.yaml say; edits are lost.',
    remedy: 'Write what the edit was for into kruise.yaml.',
  }),
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
  KR4007: define<{ kind: string; suggestion: string | undefined }>({
    title: 'Rule for a kind that does not exist',
    severity: 'error',
    message: ({ kind }) => `apps.kruise.io has no kind '${shorten(kind, 80)}'`,
    help: ({ suggestion }) => (suggestion === undefined ? undefined : `did you mean '${suggestion}'?`),
    about: 'A rule for a kind that OpenKruise does not have can never match.',
    remedy: 'Correct match.kind, or leave it out to match every kind.',
  }),
  KR4008: define<{ kind: string }>({
    title: 'Rule for a kind that is not planned yet',
    severity: 'warning',
    message: ({ kind }) => `this version plans no ${shorten(kind, 80)}: the rule is not used`,
    about: 'This version plans CloneSets. Rules for other kinds of OpenKruise are kept for later ones.',
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
} as const;
