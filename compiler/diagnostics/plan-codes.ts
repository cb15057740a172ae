import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';

/** KR30xx: plans. KR40xx: kruise.yaml. */
export const planCodes = {
  KR3001: define<{ stated: string; actual: string }>({
    title: 'Plan was edited',
    severity: 'error',
    message: ({ stated, actual }) =>
      `the plan at base was changed by hand: its digest says ${shorten(stated, 40)}, its content is ${actual}`,
    help: () => 'restore the file from git history',
    about:
      'A plan is generated and carries a digest of itself. One that was edited is refused by the runtime too.',
  }),
  KR3002: define<{ detail: string }>({
    title: 'Plan not understood',
    severity: 'error',
    message: ({ detail }) => `the plan at base is not understood: ${detail}`,
    help: () => 'restore the file from git history, or delete it and plan again',
    about: 'What the plan at base says about revisions that pods may still be on must go into the new plan.',
  }),
  KR3003: define<{ target: string }>({
    title: 'Two plans for one target',
    severity: 'error',
    message: ({ target }) => `two plans at base belong to ${target}`,
    help: () => 'delete the one that does not stand in the folder of the target',
    about: 'A target follows one plan. The runtime would hold it until one of the two is gone.',
  }),
  KR3004: define<{ steps: number; limit: number }>({
    title: 'Too many steps',
    severity: 'error',
    message: ({ steps, limit }) => `the plan would have ${steps} steps, more than ${limit}`,
    help: () => 'use fewer batches in kruise.yaml',
    about: 'The limit keeps a plan something that a person can read.',
  }),
  KR3005: define<{ bytes: number; limit: number }>({
    title: 'Plan too large',
    severity: 'error',
    message: ({ bytes, limit }) => `the plan would have ${bytes} bytes, more than ${limit}`,
    about: 'A plan lives in the cluster as an object and beside its target as a revision. Both have limits.',
  }),
  KR3006: define<{ field: string; plan: string; target: string }>({
    title: 'Window wider than the target allows',
    severity: 'warning',
    message: ({ field, plan, target }) =>
      `the step's ${field} ${plan} is more than the target's own ${target}: the lower one holds`,
    about: 'A step can only narrow what the object allows. To go faster, raise the field in the manifest.',
  }),
  KR3007: define<{ target: string }>({
    title: 'Old revision unknown',
    severity: 'warning',
    message: ({ target }) =>
      `only the bound of ${target} changes, and no plan at base names the revision of the pods held back`,
    help: () => 'if pods are on another revision, the plan waits until that revision is planned',
    about:
      'A plan may touch pods on revisions it lists, no others. Without an earlier plan there is none to list.',
  }),
  KR3008: define<{ path: string }>({
    title: 'Plan without a change',
    severity: 'warning',
    message: ({ path }) => `${path} does not belong to a change between base and head`,
    help: () => 'delete it if it is left over from an earlier draft',
    about: 'The target is the same in both states, or new, and the plan at head is not the one at base.',
  }),
  KR3009: define<{ name: string; limit: number }>({
    title: 'Name too long',
    severity: 'error',
    message: ({ name, limit }) =>
      `the plan would be called ${shorten(name, 60)}, longer than the ${limit} letters a name may have`,
    about: 'A plan is named after kind and name of its target, and object names have a limit.',
  }),
  KR4001: define<{ feature: string; effect: string }>({
    title: 'Not in this version',
    severity: 'error',
    message: ({ feature, effect }) => `this version does not execute ${feature}: ${effect}`,
    help: ({ feature }) => `remove ${feature} from kruise.yaml`,
    about: 'Ignoring a gate would let a roll-out pass where its authors wanted it to stop. So it is refused.',
  }),
  KR4002: define<{ batch: string; before: string }>({
    title: 'Batches must grow',
    severity: 'error',
    message: ({ batch, before }) => `batch ${batch} does not go beyond the one before, ${before}`,
    about: 'Each batch names how far the roll-out has come in all, not how much is added.',
  }),
  KR4003: define<{ last: string }>({
    title: 'The last batch must be everything',
    severity: 'error',
    message: ({ last }) => `the last batch is ${last}, so the roll-out would never be complete`,
    help: () => 'add {to: "100%"} as the last batch; to stop on purpose use partition in the manifest',
    about: 'A plan that cannot succeed would stay on for ever and hold the next change.',
  }),
  KR4004: define<{ batch: number; batches: number }>({
    title: 'Approval at no gate',
    severity: 'error',
    message: ({ batch, batches }) =>
      `there is no gate after batch ${batch}: the plan has ${batches}, and nothing follows the last one`,
    help: ({ batches }) => (batches > 1 ? `use 1 to ${batches - 1}` : 'add a batch before 100%'),
    about: 'approve lists the batches after which a person must agree before the next one starts.',
  }),
  KR4005: define<{ detail: string }>({
    title: 'kruise.yaml is not one document',
    severity: 'error',
    message: ({ detail }) => `kruise.yaml must hold one map, found ${detail}`,
    about: 'The configuration is one YAML document.',
  }),
} as const;
