import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';

function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}

/** KR10xx: files and YAML. */
export const loadCodes = {
  KR1001: define<{ path: string; reason: string }>({
    title: 'File cannot be read',
    severity: 'error',
    message: ({ path, reason }) => `${path} cannot be read: ${reason}`,
    about:
      'The file or folder exists in the list of what to read, but the operating system refused it. ' +
      'A plan computed without it could miss a change, so nothing is written.',
    remedy: 'Check the path and its permissions; outside of manifests, keep such files in another folder.',
  }),
  KR1002: define({
    title: 'Not UTF-8',
    severity: 'error',
    message: () => 'the file is not valid UTF-8',
    about: 'Kubernetes reads manifests as UTF-8. Guessing another encoding could change values silently.',
    remedy: 'Save it as UTF-8; UTF-16 and Latin-1 are not read.',
  }),
  KR1003: define<{ limit: string }>({
    title: 'File too large',
    severity: 'error',
    message: ({ limit }) => `the file is larger than ${limit}, the most that is read of one file`,
    about: 'A manifest of this size is a mistake or an attack; one object in a cluster has less than 2 MiB.',
    remedy: 'Split it, or keep what is no manifest outside the folder.',
  }),
  KR1004: define<{ detail: string }>({
    title: 'YAML syntax',
    severity: 'error',
    message: ({ detail }) => `this is not YAML: ${detail}`,
    help: ({ detail }) => (/\{\{/.test(detail) ? 'it looks like a template: render it first' : undefined),
    about: 'The text breaks a rule of YAML, so nobody can say which objects it holds.',
    remedy: 'Repair the line that is named, or render the file first if it is a template.',
  }),
  KR1005: define<{ key: string }>({
    title: 'Duplicate key',
    severity: 'error',
    message: ({ key }) => `the key ${quoted(key)} stands twice in this map`,
    about: 'kubectl silently takes the last of two equal keys. What the author meant cannot be known.',
    remedy: 'Remove one of the two; kubectl would take the last.',
  }),
  KR1006: define<{ text: string; reading: string }>({
    title: 'Plain word that YAML 1.1 reads differently',
    severity: 'error',
    message: ({ text, reading }) =>
      `${quoted(text)} is text in YAML 1.2 but ${reading} to Kubernetes' YAML reader`,
    help: ({ text, reading }) => `write "${text}" in quotes if text is meant, or ${reading} if not`,
    about:
      'Kubernetes tools read YAML 1.1, where yes, no, on, off, y and n are booleans and 1_000 is a number. ' +
      'A plan is worth something only if compiler and cluster read the same value.',
    remedy: 'Write the value in quotes if text is meant, or as true, false or a plain number if not.',
  }),
  KR1007: define<{ text: string; decimal: number }>({
    title: 'Octal number',
    severity: 'warning',
    message: ({ text, decimal }) =>
      `${quoted(text)} is read as octal, ${decimal} in decimal, as kubectl reads it`,
    help: ({ decimal }) => `write ${decimal}, which every reader understands`,
    about:
      'YAML 1.1 takes a leading zero for octal, YAML 1.2 does not. File modes such as defaultMode: 0644 are the ' +
      'common case. The value Kubernetes would read is used.',
    remedy: 'Write the number in decimal, which every reader understands.',
  }),
  KR1008: define({
    title: 'Merge key',
    severity: 'error',
    message: () => "the merge key '<<' means something to some YAML readers only",
    about: 'YAML 1.2 has no merge key. kubectl merges, other tools keep a field called <<.',
    remedy: 'Write the fields out, or render the manifest before planning.',
  }),
  KR1009: define<{ key: string }>({
    title: 'Key that is not text',
    severity: 'error',
    message: ({ key }) => `the key ${quoted(key)} is not text`,
    help: ({ key }) => `write "${key}" in quotes`,
    about:
      'Keys of a Kubernetes object are text. Numbers, booleans, null and nested keys are read differently by each tool.',
    remedy: 'Write the key in quotes.',
  }),
  KR1010: define({
    title: 'Forbidden key',
    severity: 'error',
    message: () => "the key '__proto__' is not accepted",
    about:
      'The key has a special meaning in JavaScript and none in Kubernetes. It is refused rather than handled.',
    remedy: 'Remove it; no Kubernetes object has such a field.',
  }),
  KR1011: define<{ limit: number }>({
    title: 'Nested too deep',
    severity: 'error',
    message: ({ limit }) => `the document is nested deeper than ${limit} levels`,
    about: 'No Kubernetes object comes near this depth. Such a text is meant to exhaust the reader.',
    remedy: 'Check whether the file is a manifest at all; if not, move it out of the folder.',
  }),
  KR1012: define<{ alias: string; limit: number }>({
    title: 'Alias that grows without end',
    severity: 'error',
    message: ({ alias, limit }) =>
      `the alias ${quoted(`*${alias}`)} contains itself or expands to more than ${limit} values`,
    about:
      'Aliases that refer to aliases double at every level. The document is refused before it fills the memory.',
    remedy: 'Write the values out, or render the manifest before planning.',
  }),
  KR1013: define<{ tag: string }>({
    title: 'YAML tag',
    severity: 'error',
    message: ({ tag }) => `the tag ${quoted(tag)} has no meaning in a Kubernetes manifest`,
    about: 'Kubernetes objects are JSON. Custom tags, binary values, sets and dates do not exist there.',
    remedy: 'Remove the tag, or render the manifest before planning.',
  }),
  KR1014: define<{ text: string }>({
    title: 'Number that JSON cannot hold',
    severity: 'error',
    message: ({ text }) => `${quoted(text)} is a number that JSON cannot hold exactly`,
    help: ({ text }) => `write "${text}" in quotes if text is meant`,
    about: 'Infinity, not-a-number and integers beyond 2^53 would change on their way to the API server.',
    remedy: 'Write the value in quotes if text is meant, or use a smaller number.',
  }),
  KR1015: define<{ path: string; target: string }>({
    title: 'Link not followed',
    severity: 'error',
    message: ({ path, target }) => `the link ${path} leads ${target} and is not followed`,
    about:
      'Links are followed within the folder that is planned; those of kruise.yaml and of the paths on the command line ' +
      'within the git repository. Nothing is read or written outside of it by a link: a pull request could make one that ' +
      'leads to a file of whoever runs the command. What a link hides could be a manifest, and without it a workload ' +
      'would look removed.',
    remedy: 'Remove the link, put what it names in its place, or plan a folder that holds both.',
  }),
  KR1016: define<{ kind: string; name: string }>({
    title: 'The same object twice',
    severity: 'error',
    message: ({ kind, name }) => `${kind} ${name} is declared twice`,
    about:
      'Group, kind, namespace and name identify an object; the API version does not. With two declarations the one ' +
      'applied last wins, and nobody can say which that is.',
    remedy: 'Remove one, or plan the overlays one by one.',
  }),
  KR1017: define<{ path: string }>({
    title: 'No such path',
    severity: 'error',
    message: ({ path }) => `${path} does not exist`,
    about: 'A path on the command line names neither a file nor a folder.',
    remedy: 'Check the spelling; paths are relative to the working directory.',
  }),
  KR1018: define<{ kind: string }>({
    title: 'Object without a name',
    severity: 'error',
    message: ({ kind }) => `this ${kind} has no metadata.name`,
    about: 'A plan belongs to one object. Without a name there is nothing that it could belong to.',
    remedy: 'Set metadata.name; generateName cannot be planned because every apply makes another object.',
  }),
  KR1019: define<{ apiVersion: string; kind: string; known: string }>({
    title: 'Unknown API version',
    severity: 'error',
    message: ({ apiVersion, kind }) => `${kind} has no API version ${quoted(apiVersion)}`,
    help: ({ known }) => `use ${known}`,
    about: 'The group is ours, the version is none that OpenKruise serves.',
    remedy: 'Use a version that OpenKruise serves.',
  }),
  KR1020: define({
    title: 'YAML version directive',
    severity: 'error',
    message: () => 'a %YAML directive changes how values are read',
    about:
      'Kubernetes tools ignore the directive; others switch their rules by it. Then the same text means two things.',
    remedy: 'Remove the line.',
  }),
  KR1021: define<{ field: string; value: string }>({
    title: 'Name that Kubernetes refuses',
    severity: 'error',
    message: ({ field, value }) => `${field} ${quoted(value)} is not a name that Kubernetes accepts`,
    help: ({ value }) => (value.includes('{{') ? 'it looks like a template: render it first' : undefined),
    about:
      'Names and namespaces are DNS names. The folder of a plan is named after them, so another form is refused ' +
      'before it becomes a path.',
    remedy:
      'Use lower-case letters, digits and dashes (and dots in a name), with a letter or digit at both ends.',
  }),
  KR1022: define<{ template: boolean }>({
    title: 'A template or JSON, and not ours',
    severity: 'warning',
    message: ({ template }) =>
      template ? 'not YAML; ignored: it looks like a template' : 'not YAML; ignored',
    help: ({ template }) => (template ? 'render it first if it makes a workload' : undefined),
    about:
      'The file is a template, or JSON with something in it that JSON does not have. It does not mention apps.kruise.io, ' +
      'so it is left alone. If a template makes a workload of OpenKruise, that one is not planned.',
    remedy: 'Repair it, render it first, or keep what is no manifest outside the folder.',
  }),
  KR1023: define<{ kind: string; found: string; meant: string }>({
    title: 'API version that is almost ours',
    severity: 'error',
    message: ({ kind, found }) => `this ${kind} has ${found}`,
    help: ({ meant }) => `did you mean '${meant}'?`,
    about:
      'The kind is one of OpenKruise, but the group does not say so. No API server would take the object, and a ' +
      'compiler that skipped it in silence would call the workload removed.',
    remedy: 'Write apiVersion: apps.kruise.io/v1alpha1 or v1beta1.',
  }),
  KR1024: define<{ kind: string | undefined; meant: string }>({
    title: 'Unknown kind of apps.kruise.io',
    severity: 'error',
    message: ({ kind }) =>
      kind === undefined ? 'this object has no kind' : `apps.kruise.io has no kind ${quoted(kind)}`,
    help: ({ meant }) => `did you mean '${meant}'?`,
    about: 'Kinds are written in one way only; upper and lower case count.',
    remedy: 'Correct the kind.',
  }),
  KR1025: define<{ out: string; kind: string; name: string }>({
    title: 'Manifest in the folder of plans',
    severity: 'error',
    message: ({ out, kind, name }) => `${kind} ${name} stands in ${out}, where only plans are looked for`,
    about: 'Plans and manifests live in folders of their own: in the folder of plans no manifest is read.',
    remedy: 'Name another folder with --out, or move the manifest.',
  }),
  KR1026: define<{ problem: string }>({
    title: 'Not YAML, and perhaps a manifest',
    severity: 'error',
    message: ({ problem }) => problem,
    about:
      'The file is called .yaml and does not parse. It names no kind of apps.kruise.io, but a manifest that lost those ' +
      'lines does not either, and its workload would look removed. A GitOps engine refuses the whole folder.',
    remedy: 'Repair it, or keep what is no manifest outside the folder.',
  }),
  KR1027: define({
    title: 'Workload without apiVersion and kind',
    severity: 'error',
    message: () => 'this has metadata and a pod template, and neither apiVersion nor kind',
    about:
      'No API server would take the object, and nobody can say what it is. A manifest that lost these lines would look ' +
      'removed.',
    remedy: 'Write apiVersion and kind. The group of OpenKruise’s workloads is apps.kruise.io.',
  }),
  KR1035: define<{ limit: string }>({
    title: 'Too much for one run',
    severity: 'error',
    message: ({ limit }) => `the run ends here: one run reads at most ${limit}`,
    about:
      'One run has limits, listed in docs/limits.md, so that no input can keep a pipeline busy or fill its memory. What lies ' +
      'beyond them is not read, so nothing is written.',
    remedy:
      'Plan the folders one by one (`kruise plan apps/shop`), and keep what is no manifest outside of them.',
  }),
  KR1036: define<{ limit: string }>({
    title: 'Document too large',
    severity: 'error',
    message: ({ limit }) => `the document has more than ${limit}`,
    about:
      'One YAML document is held in memory as a whole while it is parsed. No Kubernetes object comes near these limits: an API ' +
      'server takes less than 2 MiB. They are listed in docs/limits.md.',
    remedy: 'Split it into documents, or keep what is no manifest outside the folder.',
  }),
  KR1037: define<{ count: number }>({
    title: 'More problems than are listed',
    severity: 'warning',
    message: ({ count }) =>
      `and ${count} more ${count === 1 ? 'problem' : 'problems'} here ${count === 1 ? 'is' : 'are'} not listed`,
    about:
      'Of one file, one object or one folder so many problems are listed as help to see the pattern (docs/limits.md); the others ' +
      'are counted. It is an error where one of them is.',
    remedy: 'Mend those that are listed and run the command again.',
  }),
} as const;
