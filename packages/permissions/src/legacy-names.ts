/** Old tool names that rules, hook matchers and transcripts still use (protocol 3.2). The table is fixed. */
const legacyNames: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop'],
  ['ListPeers', 'ListAgents'],
  ['Brief', 'SendUserMessage'],
  ['ListMcpResources', 'ListMcpResourcesTool'],
  ['ReadMcpResource', 'ReadMcpResourceTool'],
  ['ReadMcpResourceDir', 'ReadMcpResourceDirTool'],
  ['ProposeGoal', 'SetGoal'],
]);

/** The present name of a tool; any other name is its own. */
export const canonicalName = (name: string): string => legacyNames.get(name) ?? name;
