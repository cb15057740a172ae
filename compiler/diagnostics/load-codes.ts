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
  }),
  KR1002: define({
    title: 'Not UTF-8',
    severity: 'error',
    message: () => 'the file is not valid UTF-8',
    help: () => 'save it as UTF-8; UTF-16 and Latin-1 are not read',
    about: 'Kubernetes reads manifests as UTF-8. Guessing another encoding could change values silently.',
  }),
  KR1003: define<{ mebibytes: number; limit: number }>({
    title: 'File too large',
    severity: 'error',
    message: ({ mebibytes, limit }) =>
      `the file has ${mebibytes} MiB, more than the ${limit} MiB that are read`,
    help: () => 'split it, or keep what is no manifest outside the folder',
    about: 'A manifest of this size is a mistake or an attack; one object in a cluster has less than 2 MiB.',
  }),
  KR1004: define<{ detail: string }>({
    title: 'YAML syntax',
    severity: 'error',
    message: ({ detail }) => `this is not YAML: ${detail}`,
    about: 'The text breaks a rule of YAML, so nobody can say which objects it holds.',
  }),
  KR1005: define<{ key: string }>({
    title: 'Duplicate key',
    severity: 'error',
    message: ({ key }) => `the key ${quoted(key)} stands twice in this map`,
    help: () => 'remove one of the two',
    about: 'kubectl silently takes the last of two equal keys. What the author meant cannot be known.',
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
  }),
  KR1008: define({
    title: 'Merge key',
    severity: 'error',
    message: () => "the merge key '<<' means something to some YAML readers only",
    help: () => 'write the fields out, or render the manifest before planning',
    about: 'YAML 1.2 has no merge key. kubectl merges, other tools keep a field called <<.',
  }),
  KR1009: define<{ key: string }>({
    title: 'Key that is not text',
    severity: 'error',
    message: ({ key }) => `the key ${quoted(key)} is not text`,
    help: ({ key }) => `write "${key}" in quotes`,
    about:
      'Keys of a Kubernetes object are text. Numbers, booleans, null and nested keys are read differently by each tool.',
  }),
  KR1010: define({
    title: 'Forbidden key',
    severity: 'error',
    message: () => "the key '__proto__' is not accepted",
    help: () => 'remove it; no Kubernetes object has such a field',
    about:
      'The key has a special meaning in JavaScript and none in Kubernetes. It is refused rather than handled.',
  }),
  KR1011: define<{ limit: number }>({
    title: 'Nested too deep',
    severity: 'error',
    message: ({ limit }) => `the document is nested deeper than ${limit} levels`,
    about: 'No Kubernetes object comes near this depth. Such a text is meant to exhaust the reader.',
  }),
  KR1012: define<{ alias: string; limit: number }>({
    title: 'Alias that grows without end',
    severity: 'error',
    message: ({ alias, limit }) =>
      `the alias ${quoted(`*${alias}`)} contains itself or expands to more than ${limit} values`,
    about:
      'Aliases that refer to aliases double at every level. The document is refused before it fills the memory.',
  }),
  KR1013: define<{ tag: string }>({
    title: 'YAML tag',
    severity: 'error',
    message: ({ tag }) => `the tag ${quoted(tag)} has no meaning in a Kubernetes manifest`,
    help: () => 'remove the tag, or render the manifest before planning',
    about: 'Kubernetes objects are JSON. Custom tags, binary values, sets and dates do not exist there.',
  }),
  KR1014: define<{ text: string }>({
    title: 'Number that JSON cannot hold',
    severity: 'error',
    message: ({ text }) => `${quoted(text)} is a number that JSON cannot hold exactly`,
    help: ({ text }) => `write "${text}" in quotes if text is meant`,
    about: 'Infinity, not-a-number and integers beyond 2^53 would change on their way to the API server.',
  }),
  KR1015: define<{ path: string; target: string }>({
    title: 'Link not followed',
    severity: 'warning',
    message: ({ path, target }) => `the link ${path} leads ${target} and is not followed`,
    about: 'Links are followed within the folder that is planned. Loops and ways out of it are skipped.',
  }),
  KR1016: define<{ kind: string; name: string }>({
    title: 'The same object twice',
    severity: 'error',
    message: ({ kind, name }) => `${kind} ${name} is declared twice`,
    help: () => 'remove one, or plan the overlays one by one',
    about:
      'Group, kind, namespace and name identify an object; the API version does not. With two declarations the one ' +
      'applied last wins, and nobody can say which that is.',
  }),
  KR1017: define<{ path: string }>({
    title: 'No such path',
    severity: 'error',
    message: ({ path }) => `${path} does not exist`,
    about: 'A path on the command line names neither a file nor a folder.',
  }),
  KR1018: define<{ kind: string }>({
    title: 'Object without a name',
    severity: 'error',
    message: ({ kind }) => `this ${kind} has no metadata.name`,
    help: () => 'set metadata.name; generateName cannot be planned because every apply makes another object',
    about: 'A plan belongs to one object. Without a name there is nothing that it could belong to.',
  }),
  KR1019: define<{ apiVersion: string; kind: string; known: string }>({
    title: 'Unknown API version',
    severity: 'error',
    message: ({ apiVersion, kind }) => `${kind} has no API version ${quoted(apiVersion)}`,
    help: ({ known }) => `use ${known}`,
    about: 'The group is ours, the version is none that OpenKruise serves.',
  }),
  KR1020: define({
    title: 'YAML version directive',
    severity: 'error',
    message: () => 'a %YAML directive changes how values are read',
    help: () => 'remove the line',
    about:
      'Kubernetes tools ignore the directive; others switch their rules by it. Then the same text means two things.',
  }),
  KR1021: define<{ field: string; value: string }>({
    title: 'Name that Kubernetes refuses',
    severity: 'error',
    message: ({ field, value }) => `${field} ${quoted(value)} is not a name that Kubernetes accepts`,
    help: () =>
      'use lower-case letters, digits and dashes (and dots in a name), with a letter or digit at both ends',
    about:
      'Names and namespaces are DNS names. The folder of a plan is named after them, so another form is refused ' +
      'before it becomes a path.',
  }),
} as const;
