import { listed } from '../../semantics/values/listed.ts';
import { countText } from '../../semantics/values/text.ts';
import { shownName } from '../plan/target.ts';
import type { CopyChange, CopyReader } from '../reach/copies.ts';
import { shorten } from '../text/escape.ts';
import { nameRuns } from '../text/name-runs.ts';

/** More readers are counted. */
const MOST_READERS = 8;
/** Nothing has validated the names of workloads. */
const MOST_CHARACTERS = 80;

/** What a change does to copies, as sentences: where, and who reads them. Values are never among them. */
export function copySentences(change: CopyChange): string[] {
  const { kind, name, gets, changes, loses, isOpen, readers, possible } = change;
  const lists = [
    ['get', gets],
    ['change', changes],
    ['lose', loses],
  ] as const;
  const where = lists.flatMap(([verb, names]) =>
    names.length === 0
      ? []
      : [
          `${countText(names.length, 'namespace')} ${verb}${names.length === 1 ? 's' : ''} the ${kind} ${name}: ${nameRuns(names)}.`,
        ],
  );
  return [
    ...(where.length === 0 ? [`No namespace in the manifests gets the ${kind} ${name}.`] : where),
    ...(isOpen ? ['Other namespaces of the cluster may be selected, too.'] : []),
    ...readerSentences(readers, possible),
    ...seenSentences(change),
  ];
}

function readerSentences(readers: readonly CopyReader[], possible: number): string[] {
  const more = readers.length - MOST_READERS;
  const names = readers.slice(0, MOST_READERS).map(readerText);
  return [
    ...(readers.length === 0
      ? []
      : [
          `Read by ${names.join('; ')}${more > 0 ? `; and ${countText(more, 'more workload', 'more workloads')}` : ''}.`,
        ]),
    ...(possible === 0
      ? []
      : [
          `${countText(possible, 'workload')} that ${possible === 1 ? 'names' : 'name'} no namespace may read it, too.`,
        ]),
  ];
}

function readerText({ kind, namespace, name, reads }: CopyReader): string {
  const short = (text: string): string => shorten(text, MOST_CHARACTERS);
  const places = reads.map(({ by, where }) => `${PLACES[by]}${where === '' ? '' : ` ${short(where)}`}`);
  const at = shownName({ name: short(name), namespace: namespace && short(namespace) });
  return `${short(kind)} ${at} (${places.slice(0, MOST_READERS).join(', ')})`;
}

const PLACES = {
  environment: 'environment of',
  file: 'file by subPath in',
  volume: 'volume',
  pull: 'image pulls',
} as const satisfies Record<CopyReader['reads'][number]['by'], string>;

/** What pods see that run already. Where a copy is new, or lost, they cannot have read it, or keep what they have. */
function seenSentences({ changes, loses, readers }: CopyChange): string[] {
  const among = (names: ReadonlySet<string>) =>
    new Set(
      readers.flatMap(({ namespace, reads }) =>
        namespace !== undefined && names.has(namespace) ? reads.map(({ by }) => by) : [],
      ),
    );
  const changed = among(new Set(changes));
  const fixed = [
    ...(changed.has('environment') ? ['environments'] : []),
    ...(changed.has('file') ? ['files that are mounted by subPath'] : []),
  ];
  const live = changed.has('volume') ? ['changed volumes within about a minute'] : [];
  const seen = [
    ...(live.length > 0 && fixed.length > 0
      ? [
          `Running pods see ${live.join('')}, and ${listed(fixed, 'and')} only once their containers start again.`,
        ]
      : []),
    ...(live.length > 0 && fixed.length === 0 ? [`Running pods see ${live.join('')}.`] : []),
    ...(live.length === 0 && fixed.length > 0
      ? [`Running pods see changed ${listed(fixed, 'and')} only once their containers start again.`]
      : []),
  ];
  const isLost = among(new Set(loses)).size > 0;
  return [
    ...seen,
    ...(isLost
      ? [
          'Running pods keep what they have read; pods that start later fail unless the reference is optional.',
        ]
      : []),
  ];
}
