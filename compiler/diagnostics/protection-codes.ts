import { PROTECTION_LABEL, PROTECTION_VALUES } from '../../semantics/protection/label.ts';
import { listed } from '../../semantics/values/listed.ts';
import { define } from './definition.ts';
import { didYouMean, quoted } from './phrases.ts';

const VALUES = listed(PROTECTION_VALUES, 'or');

/** KR222x and KR2230: objects whose deletion the label policy.kruise.io/delete-protection refuses. */
export const protectionCodes = {
  KR2224: define<{
    what: string;
    /** While what the deletion is refused. */
    while: 'Always' | 'Replicas' | 'Children';
    /** The name that a generator has made instead, from other content. */
    renamedTo: string | undefined;
  }>({
    title: 'A protected object is removed',
    severity: 'error',
    check: 'refused',
    message: ({ what, while: reason, renamedTo }) => {
      const change =
        renamedTo === undefined
          ? 'is not there any more'
          : `is not there any more, as its name is now ${quoted(renamedTo)}`;
      return `${what} ${change}, and its label ${PROTECTION_LABEL} refuses its deletion${UNTIL[reason]}`;
    },
    help: ({ while: reason }) =>
      `use two commits: the first ${reason === 'Replicas' ? 'scales it to 0, or removes the label' : 'removes the label'}, and once that is applied the next one removes the object`,
    about:
      'A GitOps engine that prunes deletes what git has no more. The API server refuses that, and the engine tries again for ever. ' +
      'An object under another name, namespace, kind or group is another object. So a rename, a hash that a generator puts into ' +
      'the name, and a move to another root or out of the planned folders are removals, too. The label counts as base has it. ' +
      'Kinds that no policy of this project is about are KR2230.',
    remedy:
      'Keep the object. Or remove the label in one commit, let the engine apply that, and remove the object in the next commit.',
  }),
  KR2226: define<{ value: string; meant: string | undefined }>({
    title: 'Misspelt deletion protection',
    severity: 'error',
    message: ({ value }) => `${PROTECTION_LABEL} ${quoted(value)} protects nothing: it is not ${VALUES}`,
    help: ({ meant }) => didYouMean(meant),
    about:
      'The label refuses the deletion of an object for two values, which are case-sensitive. OpenKruise stores any other value, ' +
      'and protects nothing then. At the API server it is a warning.',
    remedy: 'Write Always or Cascading, or remove the label.',
  }),
  KR2227: define<{ kind: string; isCovered: boolean }>({
    title: 'Deletion protection without effect',
    severity: 'warning',
    message: ({ kind, isCovered }) =>
      isCovered
        ? `${PROTECTION_LABEL} Cascading protects nothing of a ${kind}`
        : `${PROTECTION_LABEL} protects nothing of a ${kind}: no policy is about it`,
    help: ({ isCovered }) => (isCovered ? 'write Always, or remove the label' : 'remove the label'),
    about:
      'Cascading refuses the deletion of a workload with replicas, and of a Namespace or definition with objects in it. For every other ' +
      'kind only Always has an effect. Some kinds are not covered at all. Where something else in your clusters protects them, ignore this.',
    remedy: 'Write Always where the kind is covered, or remove the label.',
  }),
  KR2230: define<{
    what: string;
    /** Where the object is the same if an engine supplies this namespace; undefined: it is removed for sure. */
    inNamespace: string | undefined;
  }>({
    title: 'An object with the label for deletion protection may be removed',
    severity: 'warning',
    message: ({ what, inNamespace }) =>
      inNamespace === undefined
        ? `${what} is not there any more, and no policy of this project protects its kind: where something else does, its deletion is refused`
        : `${what} is not there any more: in namespace ${inNamespace} it is the same object; anywhere else its label ${PROTECTION_LABEL} refuses its deletion`,
    help: ({ inNamespace }) =>
      inNamespace === undefined
        ? 'if something else protects it, remove the label in a commit before'
        : `if your engine supplies another namespace than ${inNamespace}, remove the label in a commit before`,
    about:
      'A manifest without a namespace gets that of the engine, which git does not show. So one that begins or ends to name it may be ' +
      'the same object, or another one. The label on a kind that no policy of this project is about may mean something to another ' +
      'controller, such as OpenKruise. A deletion that is refused is one that an engine with pruning tries again for ever.',
    remedy: 'Make sure which it is. In doubt, remove the label in one commit, and the object in the next.',
  }),
} as const;

const UNTIL: Readonly<Record<'Always' | 'Replicas' | 'Children', string>> = {
  Always: '',
  Replicas: ' while it has replicas',
  Children: ' while something is in it',
};
