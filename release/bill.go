package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

// heading is a line "NAME VERSION (KIND)" of the notices, which .ci/notices.sh and scripts/notices.mjs of the extension
// write. The headings are the bill of materials.
var heading = regexp.MustCompile(`(?m)^={20,}\n(\S+) (\S+) \((Go|npm|Debian)\)\n={20,}$`)

// material is a part that is inside the artefacts.
type material struct{ name, version, kind string }

// purl returns the material as a package URL.
func (m material) purl() string {
	switch m.kind {
	case "Go":
		return "pkg:golang/" + m.name + "@" + m.version
	case "npm":
		return "pkg:npm/" + strings.Replace(m.name, "@", "%40", 1) + "@" + m.version
	}
	return "pkg:deb/debian/" + m.name + "@" + m.version
}

// materials returns the parts that the notices have, in their order.
func materials(notices string) ([]material, error) {
	text, err := os.ReadFile(notices)
	if err != nil {
		return nil, err
	}
	var list []material
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		list = append(list, material{m[1], m[2], m[3]})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no heading of a part", notices)
	}
	return list, nil
}

// writeBill writes the bill of materials, in SPDX's JSON.
func writeBill(o *options) error {
	list, err := materials(o.notices)
	if err != nil {
		return err
	}
	const root = common.ElementID("unitproof")
	doc := &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      "unitproof-" + o.version,
		DocumentNamespace: strings.TrimSuffix(o.url, "/") + "/unitproof-" + o.version + ".spdx.json/" + o.commit,
		CreationInfo: &spdx.CreationInfo{Created: o.time.Format("2006-01-02T15:04:05Z"),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "unitproof-release"}}},
		Packages: []*spdx.Package{{PackageName: "unitproof", PackageSPDXIdentifier: root, PackageVersion: o.version,
			PackageDownloadLocation: o.url, FilesAnalyzed: false, PackageLicenseDeclared: "Apache-2.0",
			PackageLicenseConcluded: "Apache-2.0", PackageCopyrightText: "NOASSERTION", PackageSourceInfo: o.commit}},
		Relationships: []*spdx.Relationship{{RefA: common.MakeDocElementID("", "DOCUMENT"),
			RefB: common.MakeDocElementID("", string(root)), Relationship: common.TypeRelationshipDescribe}},
	}
	for i, m := range list {
		id := fmt.Sprintf("part-%d", i+1)
		doc.Packages = append(doc.Packages, &spdx.Package{PackageName: m.name, PackageVersion: m.version,
			PackageSPDXIdentifier: common.ElementID(id), PackageDownloadLocation: "NOASSERTION",
			PackageLicenseDeclared: "NOASSERTION", PackageLicenseConcluded: "NOASSERTION",
			PackageCopyrightText: "NOASSERTION",
			PackageExternalReferences: []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager,
				RefType: common.TypePackageManagerPURL, Locator: m.purl()}}})
		doc.Relationships = append(doc.Relationships, &spdx.Relationship{RefA: common.MakeDocElementID("", string(root)),
			RefB: common.MakeDocElementID("", id), Relationship: common.TypeRelationshipContains})
	}
	var text bytes.Buffer
	if err := spdxjson.Write(doc, &text, spdxjson.Indent("  "), spdxjson.EscapeHTML(false)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, "unitproof-"+o.version+".spdx.json"), text.Bytes(), 0o644)
}
