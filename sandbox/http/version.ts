/**
 * The response of `/version`. The number is the emulated API version, because clients derive supported features
 * from it; the suffix identifies the sandbox.
 */
export const serverVersion = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.4+kruise',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'kruise/sandbox',
};
