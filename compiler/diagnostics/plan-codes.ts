import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';

/** KR30xx: plans. */
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
  KR3011: define<{ target: string | undefined; reason: string; suggestion: string | undefined }>({
    title: 'Nothing to try again',
    severity: 'error',
    message: ({ target, reason }) =>
      `${target === undefined ? 'nothing can' : `${target} cannot`} be tried again: ${reason}`,
    help: ({ suggestion }) => (suggestion === undefined ? undefined : `did you mean '${suggestion}'?`),
    about:
      'plan --again is about targets with a plan at base whose template and partition are the same in both states. ' +
      'Everything else is planned without it.',
    remedy: 'Leave --again out, or name a target whose plan at base has failed.',
  }),
  KR3012: define<{ target: string; again: string; promised: string; because: string }>({
    title: 'Plan at base promises too little',
    severity: 'warning',
    message: ({ target, promised, because }) =>
      `the plan of ${target} promises ${promised}, but ${because} now: clusters that have not run it yet will refuse ` +
      'it (ModeMismatch)',
    help: ({ again }) => `write that plan anew: kruise plan --again --target ${again}`,
    about:
      'A plan promises the most that is done to a pod. With another update policy the same change does more, and the ' +
      'runtime refuses to go beyond what was reviewed. Which clusters have run the plan already is not in git. kruise ' +
      'plan says it of the commit that changes the policy; kruise validate sees one state alone, and says it of the ' +
      'plan beside the manifest.',
    remedy:
      'Run kruise plan --again, in this commit or after it; ignore this if every cluster has run the plan.',
  }),
  KR3013: define<{ target: string; again: string; what: 'template' | 'partition' }>({
    title: 'Change without a plan',
    severity: 'warning',
    message: ({ target, what }) =>
      what === 'template'
        ? `the manifest of ${target} was changed without a plan: clusters hold it`
        : `the partition of ${target} was loosened without a plan: clusters hold it`,
    help: ({ again, what }) =>
      what === 'template'
        ? `plan it with --base-dir and the state before that change, or, all of it recreated at worst, with kruise plan --again --target ${again}`
        : `plan it with --base-dir and the state before that change, or with kruise plan --again --target ${again}`,
    about:
      'Base and head are the same, and the plan at base leads elsewhere: somebody, often a bot, has changed the ' +
      'manifest and committed no plan. Clusters that require plans hold the target until there is one. It is not said ' +
      'where the manifest went back to what the plan starts from, which needs no other, and not where there is no plan ' +
      'at base, because then nothing can be known. kruise validate sees one state alone, and compares the manifest ' +
      'with the plan beside it.',
    remedy:
      'Run kruise plan with the state before that change as its base, which names what changes; or kruise plan ' +
      '--again, which takes what it cannot see for recreated.',
  }),
} as const;
