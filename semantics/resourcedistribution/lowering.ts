import type { KubeObject } from '../../schemas/wire/object.ts';
import { type BuiltObject, loweringTo, type Neighbors, type RowOf } from '../kinds/lowering.ts';
import { PROTECTION_LABEL } from '../protection/label.ts';
import { objectOf } from '../values/read.ts';
import { plainFields } from '../workload/plain.ts';
import { targetNamespaces, type TargetNamespace } from './namespaces.ts';
import { type NormalDistribution, normalizeDistribution } from './normalize.ts';

interface Read extends NormalDistribution, Neighbors {
  object: KubeObject;
  /** The namespaces that it names, by the manifests of namespaces. */
  named: readonly TargetNamespace[];
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'allNamespaces',
    instead: 'namespaces that come later would get no copy',
    applies: ({ targets }) => targets.all,
  },
  {
    what: 'namespaceSelector',
    instead: 'namespaces whose labels change would keep or lack their copy',
    applies: ({ targets }) => targets.selector !== undefined,
  },
  {
    what: 'no namespace that gets a copy',
    instead: 'nothing would be written',
    applies: ({ named }) => !named.some(getsCopy),
  },
];

const losses: readonly Row[] = [
  {
    what: 'any object of the name of a copy that is there',
    instead: 'an apply takes it over, where a ResourceDistribution leaves it alone and reports it',
    applies: () => true,
  },
  {
    what: 'includedNamespaces without a manifest here',
    instead: 'the sync fails until the namespace exists',
    applies: ({ named }) => named.some(({ is }) => is === 'gone'),
  },
  {
    what: 'includedNamespaces that no copy may be in',
    instead: 'they get none, and nothing reports that',
    applies: ({ named }) => named.some((each) => !getsCopy(each)),
  },
  {
    what: 'a Secret',
    instead: 'its data is in git once more for each namespace',
    applies: ({ kind }) => kind === 'Secret',
  },
  {
    what: `the label ${PROTECTION_LABEL}`,
    instead: 'copies are not protected from deletion',
    applies: ({ object: { metadata } }) => metadata.labels?.[PROTECTION_LABEL] !== undefined,
  },
];

/** A ResourceDistribution with named namespaces as its copies (OpenKruise resourcedistribution, section 12). */
export const distributionLowering = loweringTo<Read>({
  to: { apiVersion: 'v1', kind: 'ConfigMap' },
  each: 'or `Secret` for each namespace that it names',
  stays,
  losses,
  differs: [
    'a copy that somebody changes or deletes comes back with the next sync',
    'a copy has no owner, and goes with its manifest',
    'copies lack the annotations and the label that say whose they are',
    'there is no status: the sync reports what fails',
  ],
  read(object, around) {
    const read = normalizeDistribution(object);
    // All of them would be by other means than names.
    const named = targetNamespaces({ ...read.targets, all: false, selector: undefined }, around.namespaces);
    return { ...read, ...around, object, named };
  },
  lower: (_object, { resource, kind = 'ConfigMap', name, named }) =>
    named.filter(getsCopy).map(({ name: namespace }): BuiltObject => {
      const { labels, annotations, finalizers } = objectOf(resource['metadata']);
      const { data, binaryData, stringData, immutable, type } = resource;
      const metadata = { name, namespace, ...plainFields({ labels, annotations, finalizers }) };
      return {
        apiVersion: 'v1',
        kind,
        metadata,
        ...plainFields(kind === 'Secret' ? { type, data, stringData } : { data, binaryData }),
        ...plainFields({ immutable }),
      };
    }),
});

function getsCopy({ is }: TargetNamespace): boolean {
  return is !== 'closed';
}
