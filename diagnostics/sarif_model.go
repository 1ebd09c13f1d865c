package diagnostics

// The types below are the objects of SARIF 2.1.0 that the writer uses, under the names of the specification. A
// property with its default value is omitted. The library go-sarif has all objects, but its validator compiles
// regular expressions at each start of the program; only the tests use it, to read the output.

type sarifLog struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    []*sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool          `json:"tool"`
	Taxonomies  []sarifTaxonomy    `json:"taxonomies,omitempty"`
	ColumnKind  string             `json:"columnKind"`
	Invocations []*sarifInvocation `json:"invocations"`
	// Results is never absent: its absence would mean that no analysis ran.
	Results []*sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`

	SupportedTaxonomies []sarifComponent `json:"supportedTaxonomies,omitempty"`
}

// sarifTaxonomy is a classification of weaknesses, with those that rules refer to.
type sarifTaxonomy struct {
	Name             string       `json:"name"`
	Version          string       `json:"version"`
	Organization     string       `json:"organization"`
	InformationURI   string       `json:"informationUri"`
	ShortDescription sarifMessage `json:"shortDescription"`
	Taxa             []sarifTaxon `json:"taxa"`
}

type sarifTaxon struct {
	ID               string       `json:"id"`
	HelpURI          string       `json:"helpUri"`
	ShortDescription sarifMessage `json:"shortDescription"`
}

// sarifComponent names a taxonomy of the run.
type sarifComponent struct {
	Name  string `json:"name"`
	Index int    `json:"index"`
}

// sarifTaxonReference names a taxon of a taxonomy, both by their places.
type sarifTaxonReference struct {
	ID            string         `json:"id"`
	Index         int            `json:"index"`
	ToolComponent sarifComponent `json:"toolComponent"`
}

type sarifRelationship struct {
	Target sarifTaxonReference `json:"target"`
	Kinds  []string            `json:"kinds"`
}

type sarifRuleProperties struct {
	Tags []string `json:"tags"`
}

type sarifRule struct {
	ID                   string       `json:"id"`
	Name                 string       `json:"name"`
	ShortDescription     sarifMessage `json:"shortDescription"`
	FullDescription      sarifMessage `json:"fullDescription"`
	Help                 sarifMessage `json:"help"`
	DefaultConfiguration sarifDefault `json:"defaultConfiguration"`
	// Relationships and Properties name the weaknesses: the latter as code hosts read them.
	Relationships []sarifRelationship  `json:"relationships,omitempty"`
	Properties    *sarifRuleProperties `json:"properties,omitempty"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string           `json:"level"`
	Message   sarifMessage     `json:"message"`
	Locations []*sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID              string                `json:"ruleId"`
	RuleIndex           *int                  `json:"ruleIndex,omitempty"`
	Kind                string                `json:"kind"`
	Level               string                `json:"level"`
	Message             sarifMessage          `json:"message"`
	Locations           []*sarifLocation      `json:"locations,omitempty"`
	RelatedLocations    []*sarifLocation      `json:"relatedLocations,omitempty"`
	PartialFingerprints map[string]string     `json:"partialFingerprints"`
	Taxa                []sarifTaxonReference `json:"taxa,omitempty"`
	CodeFlows           []sarifCodeFlow       `json:"codeFlows,omitempty"`
	Suppressions        []sarifSuppression    `json:"suppressions,omitempty"`
	Properties          sarifProperties       `json:"properties"`
}

type sarifProperties struct {
	Proof       string   `json:"proof"`
	Verdict     string   `json:"verdict"`
	Assumptions []string `json:"assumptions,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification,omitempty"`
}

type sarifLocation struct {
	ID               int                    `json:"id,omitempty"`
	Physical         sarifPhysicalLocation  `json:"physicalLocation"`
	LogicalLocations []sarifLogicalLocation `json:"logicalLocations,omitempty"`
	Message          *sarifMessage          `json:"message,omitempty"`
}

type sarifPhysicalLocation struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

// sarifRegion has lines and columns from 1; 0 means unknown.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifLogicalLocation struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type sarifCodeFlow struct {
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifFlowLocation `json:"locations"`
}

type sarifFlowLocation struct {
	Location     *sarifLocation `json:"location"`
	NestingLevel int            `json:"nestingLevel"`
	Kinds        []string       `json:"kinds"`
	Importance   string         `json:"importance,omitempty"`
}
